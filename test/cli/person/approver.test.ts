import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { approverAt } from "../../../src/cli/person/approver.js";
import type { Asking } from "../../../src/index.js";
import { plain } from "../../../src/cli/display/quantities.js";

function asking(session: string, signal = new AbortController().signal): Asking {
  const preview = (): Promise<string> => Promise.resolve(`for ${session}`);
  return {
    signal,
    session,
    preview,
    why: "it can execute",
    rule: undefined,
    kind: undefined,
    insists: false,
    opens: [],
  };
}

const call = { id: "c", name: "run_command", effect: "execute" as const, input: {} };

test("two sessions that ask at once are shown to the one person one after the other, each with its whole question", async () => {
  const seen: string[] = [];
  const person = {
    ask: async () => {
      await sleep(10);
      seen.push("answered");
      return "y";
    },
  };
  const approver = approverAt(person, { style: plain, say: (line) => seen.push(line.split("\n").at(-1)!.trim()) });
  const answers = await Promise.all([approver(call, asking("a")), approver(call, asking("b"))]);
  expect(answers).toEqual([{ allowed: true }, { allowed: true }]);
  expect(seen).toEqual(["for a", "answered", "for b", "answered"]);
});

test("a question that was aborted while it waited for its turn is not shown any more", async () => {
  const seen: string[] = [];
  const person = { ask: () => sleep(20).then(() => "n") };
  const approver = approverAt(person, { style: plain, say: (line) => seen.push(line.split("\n").at(-1)!.trim()) });
  const stop = new AbortController();
  const [first, second] = [approver(call, asking("a")), approver(call, asking("b", stop.signal))];
  stop.abort(new Error("enough"));
  expect(await first).toEqual({ allowed: false });
  await expect(second).rejects.toThrow("enough");
  expect(seen).toEqual(["for a"]);
});

test("a letter that looks like another one is named below the call, before the question", async () => {
  const said: string[] = [];
  const person = { ask: () => Promise.resolve("n") };
  const approver = approverAt(person, { style: plain, say: (line) => said.push(line) });
  await approver(
    { ...call, input: { command: "npm run t\u0435st" } },
    { ...asking("a"), preview: () => Promise.resolve("npm run t\u0435st") },
  );
  expect(said[0]).toMatch(
    /npm run t\u0435st\nLook out: in "t\u0435st" one letter is not what it looks like \(U\+0435, Cyrillic\)\.$/,
  );
});

test("characters without a look and lines that repeat push nothing off the screen", async () => {
  const said: string[] = [];
  const approver = approverAt({ ask: () => Promise.resolve("n") }, { style: plain, say: (line) => said.push(line) });
  const command = `rm x;${"\u2800".repeat(3000)}npm test\n${"#\n".repeat(200)}ls\n${"-".repeat(60)}`;
  await approver({ ...call, input: { command } }, { ...asking("a"), preview: () => Promise.resolve(command) });
  expect(said[0]?.split("\n").slice(1)).toEqual([
    "  rm x; [... \\u{2800} 3000 times ...] npm test",
    "  #",
    "  [... this line 200 times ...]",
    "  ls",
    `  ${"-".repeat(60)}`,
  ]);
});
