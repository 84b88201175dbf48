import { describe, expect, it } from "vitest";
import { around } from "../../../src/core/ports/hook.js";
import { drain } from "../drain.js";

type Next = (value: string) => AsyncGenerator<string, string, void>;
type TextHook = (value: string, next: Next, signal: AbortSignal) => AsyncGenerator<string, string, void>;

const { signal } = new AbortController();

async function* innermost(value: string): AsyncGenerator<string, string, void> {
  yield `work on ${value}`;
  return `made of ${value}`;
}

function says(name: string): TextHook {
  return async function* (value, next) {
    yield `${name} before`;
    const made = yield* next(value);
    yield `${name} after`;
    return made;
  };
}

describe("around", () => {
  it("without hooks returns the innermost function", async () => {
    expect(await drain(around([], innermost, signal)("x"))).toEqual({ events: ["work on x"], value: "made of x" });
  });

  it("puts the first hook outermost", async () => {
    const { events, value } = await drain(around([says("first"), says("second")], innermost, signal)("x"));
    expect(events).toEqual(["first before", "second before", "work on x", "second after", "first after"]);
    expect(value).toBe("made of x");
  });

  it("ignores undefined in the list", async () => {
    const { events } = await drain(around([undefined, says("only"), undefined], innermost, signal)("x"));
    expect(events).toEqual(["only before", "work on x", "only after"]);
  });

  it("lets a hook change the value and the answer", async () => {
    const changes: TextHook = async function* (value, next) {
      return `${yield* next(`${value}!`)}?`;
    };
    const { events, value } = await drain(around([changes, says("inner")], innermost, signal)("x"));
    expect(events).toEqual(["inner before", "work on x!", "inner after"]);
    expect(value).toBe("made of x!?");
  });

  it("lets a hook answer by itself, and then the inner hooks are not called", async () => {
    const answers: TextHook = async function* () {
      yield "answered";
      return "mine";
    };
    const { events, value } = await drain(around([says("outer"), answers, says("never")], innermost, signal)("x"));
    expect(events).toEqual(["outer before", "answered", "outer after"]);
    expect(value).toBe("mine");
  });

  it("lets a hook call next more than once", async () => {
    const twice: TextHook = async function* (value, next) {
      yield* next(value);
      return yield* next(`${value} again`);
    };
    const { events, value } = await drain(around([twice], innermost, signal)("x"));
    expect(events).toEqual(["work on x", "work on x again"]);
    expect(value).toBe("made of x again");
  });

  it("gives each hook the signal", async () => {
    const seen: AbortSignal[] = [];
    const looks: TextHook = async function* (value, next, given) {
      seen.push(given);
      return yield* next(value);
    };
    await drain(around([looks, looks], innermost, signal)("x"));
    expect(seen).toEqual([signal, signal]);
  });

  it("throws the error of a hook through the outer hooks", async () => {
    const throws: TextHook = async function* () {
      yield "trying";
      throw new Error("no");
    };
    const catches: TextHook = async function* (value, next) {
      try {
        return yield* next(value);
      } catch (thrown) {
        return `caught ${(thrown as Error).message}`;
      }
    };
    await expect(drain(around([says("outer"), throws], innermost, signal)("x"))).rejects.toThrow("no");
    expect((await drain(around([catches, throws], innermost, signal)("x"))).value).toBe("caught no");
  });
});
