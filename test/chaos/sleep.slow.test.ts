import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { stageFor } from "./lives.js";
import { counted } from "./counted.js";
import { expectSamePrompt, expectSound, expectTidy, liveOn } from "./survivor.js";

test("a process that slept while a reply streamed, for longer than a server may be silent, reads on when it wakes", async () => {
  const idle = 300;
  await using stage = await stageFor({ story: "work", pause: 60, idle });
  const life = await stage.live({ at: "P4", doze: () => wait(4 * idle) });
  expect(life).toMatchObject({ code: 0, stderr: "" });
  const records = await expectSound(stage, [life]);
  // Nothing was asked twice: what had come while it slept was read.
  expect(stage.provider.requests).toHaveLength(records.filter(({ type }) => type === "reply").length);
  counted("sigstop-sigcont", 1);
});

test("a process that slept while a tool ran, and found its session taken over when it woke, writes nothing and says so", async () => {
  await using stage = await stageFor({ story: "work", speed: 100 });
  const others: Awaited<ReturnType<typeof liveOn>>[] = [];
  const sleep = async (): Promise<void> => {
    await wait(500);
    others.push(await liveOn(stage));
  };
  const life = await stage.live({ at: "P10", sleep });
  expect(life.told.at(-1)).toMatchObject({ status: "failed" });
  expect(life.told.at(-1)?.fault).toContain("was taken over");
  const { records } = await stage.session();
  const unknown = records.filter((record) => record.type === "result" && record.result.text.includes("is unknown"));
  expect(unknown).toHaveLength(1);
  expect((await stage.effects()).map(({ what }) => what)).toEqual(["deploy a", "deploy b", "mark c", "sign e"]);
  expectSamePrompt(stage.provider.requests);
  await expectTidy(stage, [life]);
  expect(others).toHaveLength(1);
  counted("sigstop-sigcont", 1);
});

test("a process that runs out of memory while a tool runs leaves a session that is gone on with", async () => {
  await using stage = await stageFor({ story: "work" });
  const life = await stage.live({ at: "P10", grows: true });
  expect(life.code).not.toBe(0);
  const lives = [{ ...life, stderr: "" }, ...(await liveOn(stage))];
  await expectSound(stage, lives);
  await expectTidy(stage, lives);
  counted("oom-kill", 1);
});
