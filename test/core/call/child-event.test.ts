import { expect, test } from "vitest";
import { ToldEvents } from "../../../src/core/call/child-event.js";
import type { Event } from "../../../src/core/ports/event.js";
import { advance, sourceOf } from "../../../src/core/time/stage.js";

const said = (text: string): Event => ({ type: "text-delta", text });

function toldBy() {
  const told = new ToldEvents("call");
  const log: string[] = [];
  let end: (value: string) => void = () => undefined;
  const step = new Promise<string>((resolve) => (end = resolve));
  const tell = (text: string): void => {
    told.tell(said(text), () => log.push(`read ${text}`));
  };
  const stage = told.during(step, () => {
    log.push("stopped");
    end("stopped");
  });
  return { told, log, tell, end, stage };
}

test("events come in order, each with the path to the agent, and the agent goes on when its event was read", async () => {
  const { log, tell, end, stage } = toldBy();
  tell("one");
  tell("two");
  expect(await advance(stage)).toEqual({
    done: false,
    value: { type: "child-event", path: ["call"], event: said("one") },
  });
  expect(log).toEqual([]);
  expect(await advance(stage)).toMatchObject({ value: { event: said("two") } });
  expect(log).toEqual(["read one"]);
  const later = advance(stage);
  setTimeout(() => {
    tell("three");
  }, 5);
  expect(await later).toMatchObject({ value: { event: said("three") } });
  end("ended");
  expect(await advance(stage)).toEqual({ done: true, value: "ended" });
  expect(log).toEqual(["read one", "read two", "read three"]);
});

test("an event of an agent further below keeps its path", async () => {
  const { told, stage } = toldBy();
  const inner: Event = { type: "child-event", path: ["inner"], event: said("deep") };
  told.tell(inner, () => undefined);
  expect(await advance(stage)).toMatchObject({
    value: { type: "child-event", path: ["call", "inner"], event: said("deep") },
  });
});

test("a reader that leaves at an event stops the tool, waits for it, and holds no agent", async () => {
  const { log, tell, stage } = toldBy();
  const source = sourceOf(stage);
  tell("one");
  tell("two");
  await source.next();
  await source.return("left");
  expect(log).toEqual(["stopped", "read one", "read two"]);
  tell("three");
  expect(log.at(-1)).toBe("read three");
});
