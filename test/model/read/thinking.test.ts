import { describe, expect, test } from "vitest";
import { partThinking, Thinking, type PartedPiece } from "../../../src/model/read/thinking.js";

/** The parts that watchers have in the end, and all pieces, if the text comes in pieces of this many characters. */
function streamed(
  text: string,
  size: number,
  isExpected = false,
  isCut = false,
): { thinking: string; words: string; told: PartedPiece[] } {
  const parting = new Thinking(isExpected);
  const told: PartedPiece[] = [];
  for (let at = 0; at < text.length; at += size) told.push(...parting.write(text.slice(at, at + size)));
  told.push(...parting.end(isCut));
  const parts = { thinking: "", words: "" };
  for (const piece of told) {
    if (piece.kind === "void") parts.thinking = parts.words = "";
    else parts[piece.kind] += piece.text;
  }
  return { ...parts, told };
}

const answer = "It is 4.";
const thought = "They ask for 2+2. I say three? No.";

describe("thinking at the beginning of the content is no words:", () => {
  test.each<[string, string, string, string]>([
    ["between tags", `<think>${thought}</think>\n\n${answer}`, thought, answer],
    ["behind white space", `\n <think>\n${thought}\n</think>\n${answer}`, `\n${thought}\n`, answer],
    ["between other tags", `<reasoning>${thought}</reasoning>${answer}`, thought, answer],
    ["in capitals", `<Thinking>${thought}</THINKING> ${answer}`, thought, answer],
    ["in two blocks", `<think>a</think>\n<think>b</think>\n${answer}`, "ab", answer],
    ["empty", `<think>\n\n</think>\n\n${answer}`, "\n\n", answer],
    [
      "that names the closing tag in code",
      `<think>so \`</think>\` ends it</think>${answer}`,
      "so `</think>` ends it",
      answer,
    ],
    ["that names another tag", `<think>a </thought> b</think>${answer}`, "a </thought> b", answer],
    ["opened in the prompt, closed on a line", `${thought}\n</think>\n\n${answer}`, `${thought}\n`, answer],
    ["opened in the prompt, closed at the end of a paragraph", `${thought}</think>\n\n${answer}`, thought, answer],
    ["opened in the prompt, closed at the start of a line", `${thought}\n</think>${answer}`, `${thought}\n`, answer],
    ["opened in the prompt, with nothing behind", `${thought}\n</think>\n`, `${thought}\n`, ""],
    ["opened in the prompt, empty", `</think>\n\n${answer}`, "", answer],
    ["that is never closed", `<think>${thought}`, thought, ""],
    ["with an answer that speaks of it", `<think>a</think>Use <think> and </think>.`, "a", "Use <think> and </think>."],
  ])("%s", (_what, text, thinking, words) => {
    expect(partThinking(text, false, false)).toMatchObject({ thinking, words });
    for (const size of [1, 2, 3, 7, 50]) expect(streamed(text, size)).toMatchObject({ thinking, words });
  });
});

describe("words stay words:", () => {
  test.each([
    answer,
    "",
    "\n\n",
    "<",
    "<th",
    "<thinker>x</thinker>",
    "Write `<think>` first, then `</think>`.",
    'It ends with "</think>"\nand goes on.',
    "It ends with `x </think>`\nand goes on.",
    "```xml\n<think>\nhm\n</think>\n```\nThat is the form.",
    "So:\n```\nhm\n</think>\n```\n",
    "It writes <think>hm</think>\nand then the answer.",
    "The tag </think> ends the thinking.",
    "The closing tag is </think>",
    "The model writes </think>\nand then the answer.",
    "a < b </ c",
    "First\n\n<think>\nthen\n</think>\nlast",
  ])("%j", (text) => {
    expect(partThinking(text, false, false)).toMatchObject({ thinking: "", words: text });
    for (const size of [1, 2, 3, 7, 50]) {
      const { words, thinking, told } = streamed(text, size);
      expect([words, thinking]).toEqual([text, ""]);
      expect(told.some(({ kind }) => kind === "void")).toBe(false);
    }
  });
});

describe("while it comes", () => {
  test("no piece of the thinking or of a tag is told as words", () => {
    const { told } = streamed(`<think>${thought}</think>\n\n${answer}`, 1);
    expect(told.find(({ kind }) => kind === "words")?.text).toBe("I");
    expect(told.map(({ text }) => text).join("")).toBe(thought + answer);
    expect(told.length).toBeGreaterThan(30);
  });

  test("thinking that the prompt opens is taken back once, and told as thinking from the next reply on", () => {
    const text = `${thought}\n</think>\n\n${answer}`;
    expect(streamed(text, 5).told.filter(({ kind }) => kind === "void")).toHaveLength(1);
    expect(partThinking(text, false, false).isOpenedInPrompt).toBe(true);
    const next = streamed(text, 5, true);
    expect(next).toMatchObject({ thinking: `${thought}\n`, words: answer });
    expect(next.told.some(({ kind }) => kind === "void")).toBe(false);
  });

  test("a reply without thinking where some was expected is told as words in the end, and as thinking if it was cut", () => {
    expect(streamed(answer, 3, true)).toMatchObject({ thinking: "", words: answer });
    expect(partThinking(answer, true, false)).toMatchObject({ words: answer, isOpenedInPrompt: false });
    expect(streamed(thought, 3, true, true)).toMatchObject({ thinking: thought, words: "" });
    expect(streamed(`<think>${thought}</think>${answer}`, 3, true)).toMatchObject({ thinking: thought, words: answer });
  });

  test("it takes linear time", () => {
    const time = (count: number): number => {
      const start = performance.now();
      partThinking('so "</think>" '.repeat(count), false, false);
      streamed('so "</think>" < '.repeat(count), 4);
      return performance.now() - start;
    };
    time(2000);
    const [short, long] = [Math.min(time(4000), time(4000)), Math.min(time(32_000), time(32_000))];
    expect(long).toBeLessThan(short * 30 + 50);
  });
});
