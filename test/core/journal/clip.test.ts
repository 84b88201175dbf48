import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { clip } from "../../../src/core/internal.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const clipping = { most: 8000, callId: "session/2/call:3:1", isReadable: true };

/** A text with this many lines of 50 characters. */
function lines(count: number): string {
  return Array.from({ length: count }, (_none, index) => `${String(index + 1).padEnd(49, ".")}\n`).join("");
}

describe("a long result", () => {
  it("is shown in full if it fits", () => {
    expect(clip("x".repeat(8000), clipping)).toBeUndefined();
    expect(clip(lines(160), clipping)).toBeUndefined();
  });

  it("is shown by its first 40 and last 20 lines, with the way to read the rest", () => {
    const shown = clip(lines(300), clipping)?.split("\n") ?? [];
    expect(shown).toHaveLength(40 + 1 + 20 + 1);
    expect(shown.slice(39, 42)).toEqual([
      "40".padEnd(49, "."),
      '[... 240 of 300 lines are left out; to read them, call read_result with call "2/call:3:1" and from_line 41 ...]',
      "281".padEnd(49, "."),
    ]);
  });

  it("is shown by half of the limit at its start and a quarter at its end if the lines are long", () => {
    const shown = clip("x".repeat(20_000), clipping) ?? "";
    const [head, marker, tail] = shown.split("\n");
    expect([head?.length, tail?.length]).toEqual([4000, 2000]);
    expect(marker).toBe(
      '[... 14000 of 20000 characters are left out; to read them, call read_result with call "2/call:3:1" and from_character 4001 ...]',
    );
  });

  it("shows more lines for a larger limit", () => {
    expect(clip(lines(2000), { ...clipping, most: 16_000 })?.split("\n")).toHaveLength(80 + 1 + 40 + 1);
  });

  it("is cut between characters, never inside one", () => {
    for (const odd of ["", "x"]) expect(clip(odd + "👋".repeat(9000), clipping)).not.toMatch(/\p{Surrogate}/u);
  });
});

test("any text is shown by its start and its end, hardly longer than the limit", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 90 }), { maxLength: 400 }),
      fc.integer({ min: 200, max: 4000 }),
      (parts, most) => {
        const text = parts.join("\n");
        const shown = clip(text, { ...clipping, most });
        expect(shown === undefined).toBe(text.length <= most);
        if (shown === undefined) return;
        expect(shown.length).toBeLessThan(most + 200);
        const [head = "", tail = ""] = shown.split(/\n?\[\.\.\. \d+ of [^\n]* \.\.\.\]\n/);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
      },
    ),
  );
});

test.each([0, 199, 1.5, NaN])("a limit of %d characters is refused", (bound) => {
  const make = (): unknown => createAgent({ model: scriptedModel([]), tools: [taskCompletion()], clip: bound });
  expect(make).toThrow(`clip is ${String(bound)}`);
});
