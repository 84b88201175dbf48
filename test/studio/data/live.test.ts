import { describe, expect, test } from "vitest";
import { liveAfter, nothing } from "../../../src/studio/data/live.js";
import type { Event } from "../../../src/index.js";

const after = (...events: readonly Event[]) => events.reduce(liveAfter, nothing);

describe("the present moment of a run", () => {
  test("has the words and the calls that the model writes", () => {
    const live = after(
      { type: "text-delta", text: "I read " },
      { type: "text-delta", text: "it." },
      { type: "call-delta", index: 1, name: "read", text: "{" },
      { type: "call-delta", index: 1, name: "read_file", text: "}" },
    );
    expect(live).toMatchObject({ text: "I read it.", calls: ["", "read_file"] });
  });

  test("forgets words that were taken back", () => {
    const live = after({ type: "text-delta", text: "Oops" }, { type: "reply-retracted", reason: "it broke off" });
    expect(live).toEqual({ ...nothing, note: "the words so far are void" });
  });

  test("forgets words of a claim that was taken back", () => {
    const live = after(
      { type: "text-delta", text: "Done." },
      { type: "call-writing", index: 0, name: "task_completion" } as Event,
      { type: "claim-retracted" } as Event,
    );
    expect(live).toEqual({ ...nothing, note: "the words so far are void" });
  });

  test("says why a request is sent again", () => {
    const live = after({ type: "request-retry", attempt: 1, delay: 500, reason: "status 529" });
    expect(live.note).toBe("asks again: status 529");
  });

  test("stays as it is after an event that it does not show", () => {
    const live = after({ type: "text-delta", text: "word" });
    expect(liveAfter(live, { type: "run-start", session: "s", run: 1, input: "go" })).toBe(live);
  });
});
