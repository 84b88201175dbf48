// An evaluation: twenty small tasks, an agent with a check and one without, five trials each. lastcall eval sums.eval.mjs

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAgent } from "lastcall";
import { command } from "lastcall/checks";
import { evaluation, hidden } from "lastcall/evals";
import { openai } from "lastcall/model";
import { allowAll } from "lastcall/permission";
import { giveUp, taskCompletion, workspaceTools } from "lastcall/tools";

const numbers = Array.from({ length: 20 }, (_none, index) => index + 1);

/** A module with a wrong function, and a script that says whether it is right. The agent sees both. */
async function broken(root, factor) {
  await writeFile(join(root, "times.mjs"), `export const times = (number) => number * ${factor + 1};\n`);
  const script = `import { times } from "./times.mjs";\nif (times(2) !== ${2 * factor}) {\n  console.log("times(2) has to be ${2 * factor}");\n  process.exit(1);\n}\n`;
  await writeFile(join(root, "check.mjs"), script);
}

/** The truth looks at other numbers than the script does, in a file that the agent never sees. */
async function hiddenFile(root, factor) {
  const text = `import { times } from "./times.mjs";\nprocess.exit(times(7) === ${7 * factor} && times(-1) === ${-factor} ? 0 : 1);\n`;
  await writeFile(join(root, "truth.mjs"), text);
}

const agent = (checks) => (place) =>
  createAgent({
    model: place.model,
    tools: [...workspaceTools({ root: place.root }), taskCompletion(), giveUp()],
    checks: checks(place),
    permission: allowAll(),
    limits: { maxIterations: 20, prices: place.prices },
  });

export default evaluation({
  tasks: numbers.map((factor) => ({
    id: `times-${factor}`,
    input: `times.mjs must export times(number), which returns the number times ${factor}. Correct it.`,
    workspace: (root) => broken(root, factor),
    truth: hidden((root) => hiddenFile(root, factor), "node truth.mjs"),
    solution: (root) => writeFile(join(root, "times.mjs"), `export const times = (number) => number * ${factor};\n`),
  })),
  variants: {
    bare: agent(() => []),
    checked: agent(({ root }) => [command("node check.mjs", { cwd: root, protect: ["check.mjs"] })]),
  },
  models: { small: openai({ model: process.env.OPENAI_MODEL ?? "gpt-5-mini" }) },
  trials: 5,
  concurrency: 4,
});
