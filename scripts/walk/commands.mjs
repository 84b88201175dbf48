// The lines of pages that call the command: the script of the model for each, the session that it is about, and the words that it says.

import { call } from "../../dist/testing/index.js";
import { blocksOf } from "./pages.mjs";

const done = (result) => [call("task_completion", { result })];
const sum = (sign) => `export const sum = (a, b) => a ${sign} b;\n`;
const fix = [[call("write_file", { path: "src/sum.js", content: sum("+") })], done("fixed")];
const question = [[call("ask_question", { question: "When?" })]];
const parked = [[call("run_command", { command: "touch made.txt" })]];
const order = [[call("find_order", { id: "A-17" })], [call("escalate", { team: "accounts", why: "I may not pay." })]];

/** A project with a failing test, and the files that pages name. */
const files = {
  "src/sum.js": sum("-"),
  "test/sum.test.mjs": 'import { sum } from "../src/sum.js";\nif (sum(1, 2) !== 3) throw new Error("no");\n',
  "prices.json": '{ "NAME": { "input": 1, "cachedInput": 0.1, "output": 8 } }',
};
const steps = [{ what: "Write it", files: ["src/sum.js"], check: "node --test" }];
const plan = [[call("propose_plan", { summary: "Writes it.", steps })]];
const findings = [[call("report_findings", { findings: [], summary: "Nothing is wrong." })]];
const agentOf = (words) =>
  `import { taskCompletion } from "lastcall/tools";\nexport default { instructions: "${words}", tools: [taskCompletion()] };\n`;

/** The sessions that lines are about: the task that leaves each. */
const before = {
  done: { line: 'lastcall "go"', script: fix },
  one: { line: 'lastcall "go" --agent one.mjs', script: [done("gone")] },
  asking: { line: 'lastcall "go"', script: question },
  planned: { line: 'lastcall --plan "go"', script: plan },
  parked: { line: 'lastcall "go" --park --no-sandbox', script: parked },
};

/** The kinds of lines, by their words. The first kind that fits counts. `left` is a reason to leave a line out. */
const kinds = [
  { words: /studio|--port/, left: "it serves until it is stopped" },
  { words: /lastcall (?:work|schedule|store migrate)/, left: "it needs a Postgres" },
  { words: /--branch|--commit|lastcall run/, left: "it needs a repository" },
  { words: /--provider|127\.0\.0\.1/, left: "it asks a real model" },
  { words: /demo(?:\b|_)/, left: "a person has to trust the servers" },
  { words: /(?:--tools|--agent) \S+\.ts/, left: "this Node runs no TypeScript", unless: "strip" },
  { words: /--plan --yes/, script: [...plan, ...fix], says: /^fixed/ },
  { words: /--plan/, script: plan, code: 3, says: /Shall this plan/ },
  { words: /resume ID yes/, about: "planned", script: fix, says: /^fixed/ },
  { words: /"without the second step"/, about: "planned", script: plan, code: 3, says: /Shall this plan/ },
  { words: /lastcall review ID/, about: "done", script: findings, says: /Nothing is wrong/ },
  { words: /lastcall (?:--)?review/, left: "it needs a repository of git" },
  { words: /chat --agent/, says: /^/ },
  { words: /--agent \S*refund-agent/, script: order, says: /I may not pay/ },
  { words: /--tools/, script: [[call("count_lines", { path: "prices.json" })], done("One.")], says: /^One\./ },
  { words: /"book a table"/, script: question, code: 3, says: /When\?/ },
  { words: /--park/, more: " --no-sandbox", script: parked, code: 3, says: /To approve: lastcall resume/ },
  { words: /"at eight"/, about: "asking", script: [done("booked")], says: /^booked/ },
  { words: /--(?:approve|refuse)/, about: "parked", script: [done("gone on")], says: /^gone on/ },
  { words: /lastcall diff/, about: "done", says: /\+export const sum = \(a, b\) => a \+ b;/ },
  { words: /lastcall undo .*--dry-run/, about: "done", says: /^Would be taken back: 1 path/ },
  { words: /lastcall undo/, about: "done", says: /^Taken back: 1 path/ },
  { words: /lastcall redo/, about: "done", first: "lastcall undo ID", says: /^Made again: 1 path/ },
  { words: /lastcall bisect/, about: "one", code: 2, says: /because of the instructions/ },
  { words: /lastcall replay ID --json/, about: "done", says: /^/ },
  { words: /lastcall replay/, about: "done", says: /It goes the same way/ },
  { words: /lastcall show/, about: "done", says: /input: go/ },
  { words: /lastcall verify/, about: "done", says: /there is nothing to verify/ },
  { words: /lastcall fork/, about: "done", says: /To go on from there/ },
  { words: /lastcall repair/, about: "done", says: /is whole/ },
  { words: /lastcall chat 2/, about: "done", says: /./ },
  { words: /\| lastcall chat/, script: [{ text: "A sum." }], says: /^A sum\./ },
  { words: /lastcall chat/, says: /^/ },
  { words: /--record missing/, script: fix, says: /^fixed/ },
  { words: /--re(?:cord|play) fix\.jsonl/, script: fix, says: /^fixed/ },
  { words: /lastcall cassette/, says: /can be replayed/ },
  { words: /--tier read-only/, script: [done("because")], says: /^because/ },
  { words: /--dry-run/, script: fix, says: /write src\/sum\.js/ },
  { words: /"review this"|"type the parser"/, script: [done("done")], says: /^done/ },
  { words: /--until|make the failing|make them pass/, script: fix, says: /^fixed/ },
  { words: /lastcall init/, says: /^Made my-agent/ },
  { words: /lastcall (?:docs|sessions|prune|agents|mcp)/, says: /^/ },
];

/** The lines of a page that call the command, with what to do about each. `typescript` is `process.features.typescript` of the reader. */
export function commandsOf(page, typescript) {
  const known = kinds.filter(({ unless }) => unless === undefined || unless !== typescript);
  const lines = blocksOf(page)
    .filter(({ kind }) => kind === "sh")
    .flatMap(({ text, line }) =>
      text.split("\n").map((words, at) => ({ words: words.replace(/\s+#.*/, ""), line: line + at + 1 })),
    )
    .filter(({ words }) => /(?:^|\| |npx )lastcall /.test(words));
  return lines.map(({ words, line }) => ({ line, words, kind: known.find((kind) => kind.words.test(words)) }));
}

/**
 * Runs a line in the folder. `run(line, script)` runs a line of a shell with a model that plays the script, and `write(path, text)`
 * writes a file. Returns the words about what is not as the page says.
 */
export async function problemOfCommand({ words, kind }, { run, write }) {
  const project = { ...files, "one.mjs": agentOf("One."), "other.mjs": agentOf("Another.") };
  for (const [path, text] of Object.entries(project)) await write(path, text);
  let [line, ids] = [words.replace(" --model NAME", " --no-explore --model NAME") + (kind.more ?? ""), ""];
  if (kind.about !== undefined) {
    await run(before[kind.about].line, before[kind.about].script);
    ids = (await run("lastcall sessions", [])).stdout.split(" ")[0];
    line = line.replace(/\b20\d{6}-[\w-]*|\bID\b/, ids).replace(/@\d+/, line.includes("fork") ? "@2" : "@0");
  }
  if (kind.first !== undefined) await run(kind.first.replace("ID", ids), []);
  const { stdout, stderr, status } = await run(line, kind.script ?? []);
  if (status === (kind.code ?? 0) && kind.says.test(`${stdout}${stderr}`)) return undefined;
  return `${line}\nexit ${status}, expected ${kind.code ?? 0} and ${String(kind.says)}\nprinted:\n${stdout}\non standard error:\n${stderr}`;
}
