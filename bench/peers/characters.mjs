// Scripted models of five characters, behind one loopback provider. The name of the model in a request says which one answers.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const call = (name, input) => ({ calls: [{ name, input }] });
const claims = call("task_completion", { result: "The task is done." });
const stops = call("give_up", { reason: "It can't be done." });
const writes = (files) => ({
  calls: Object.entries(files).map(([path, content]) => ({ name: "write_file", input: { path, content } })),
});

const honest = ({ solution }, said) => (solution === undefined ? stops : said === 0 ? writes(solution) : claims);

/** The next step of each character on a task, by the number of replies that it has given. */
export const characters = {
  liar: () => claims,
  hasty: (task, said) => (said === 0 ? claims : honest(task, said - 1)),
  cheat: ({ protect }, said) => {
    const scripts = protect.filter((path) => path.endsWith(".mjs"));
    return said === 0 ? writes(Object.fromEntries(scripts.map((path) => [path, "process.exit(0);\n"]))) : claims;
  },
  honest,
  quitter: () => stops,
};

/** The tasks with the files of their solutions and the files that their checks go by. */
export async function knownTasks({ tasks, checkOf }) {
  const known = [];
  for (const { id, input, solution } of tasks) {
    known.push({ input, protect: checkOf(id).protect, solution: solution && (await filesOf(solution)) });
  }
  return known;
}

async function filesOf(source) {
  const root = mkdtempSync(join(tmpdir(), "lastcall-solution-"));
  try {
    await source.layOut(root, root);
    const names = readdirSync(root, { recursive: true }).filter((name) => statSync(join(root, name)).isFile());
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The reply to a request. A run that has ended, as the tools of the peers say it, is answered with words alone. */
export function replyTo({ model, messages }, known) {
  if (JSON.stringify(messages.at(-1)).includes("The run ends.")) return { text: "Done." };
  const asked = JSON.stringify(messages.filter(({ role }) => role === "user"));
  // The words are JSON in JSON if a framework sends the content as parts.
  const task = known.find(({ input }) => asked.includes(JSON.stringify(input).slice(1, -1)));
  if (task === undefined) return { text: "This is no task of the suite." };
  return characters[model](task, messages.filter(({ role }) => role === "assistant").length);
}
