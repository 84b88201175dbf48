import { expect, test } from "vitest";
import { silence, talkAfter, type Talk } from "../../../../src/cli/chat/screen/talk.js";
import type { Event } from "../../../../src/core/index.js";

const after = (...events: readonly Event[]): Talk => events.reduce(talkAfter, silence);

const piece = (name: string): Event => ({ type: "call-delta", index: 0, name, text: "abc" });

test("a call in progress is named at its first chunk, and counted at each heartbeat", () => {
  expect(after(piece("write_file"), piece("write_file")).writing).toEqual({ tool: "write_file", characters: 0 });
  const beat: Event = { type: "call-writing", index: 0, name: "write_file", characters: 12_000 };
  expect(after(piece("write_file"), beat, piece("write_file")).writing).toEqual({
    tool: "write_file",
    characters: 12_000,
  });
  expect(after(piece("write_file"), beat, piece("edit_file")).writing).toEqual({ tool: "edit_file", characters: 0 });
});

test("thinking ends with the first word or the first chunk of a call", () => {
  const thought: Event = { type: "reasoning-delta", text: "Hm." };
  expect(after(thought).isThinking).toBe(true);
  expect(after(thought, piece("look")).isThinking).toBe(false);
  expect(after(piece("look"), thought, piece("look")).isThinking).toBe(false);
  const word: Event = { type: "text-delta", text: "Well" };
  expect(after(thought, word)).toMatchObject({ isThinking: false, words: "Well", writing: undefined });
});

test("retracted words are removed, whether of a reply or of a claim", () => {
  const words: Event = { type: "text-delta", text: "All done.", tool: "task_completion", index: 0, claim: true };
  const failure = { kind: "check_failed", message: "", advice: "", signature: "" } as const;
  const retracted: Event = { type: "claim-retracted", callId: "a", tool: "task_completion", failure };
  expect(after(words, retracted).words).toBe("");
  expect(after(words, { type: "reply-retracted", reason: "it broke off" }).words).toBe("");
});
