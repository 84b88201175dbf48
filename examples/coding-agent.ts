// A coding agent: it works in one folder, a gate checks its calls, and it is done only when `npm test` passes.

import { createAgent } from "lastcall";
import { command } from "lastcall/checks";
import { openai } from "lastcall/model";
import { gate } from "lastcall/permission";
import {
  findSandbox,
  giveUp,
  hostShell,
  inBackground,
  runCommand,
  taskCompletion,
  workspaceTools,
} from "lastcall/tools";
import { createInterface } from "node:readline/promises";

const [root = ".", task = "Make the failing test pass."] = process.argv.slice(2);

// Commands run in a sandbox if the machine has one. Without it, an allowed command can do everything that you can.
const sandbox = await findSandbox({ root, writable: true });
const shell = sandbox.ok ? sandbox.shell : hostShell();
if (!sandbox.ok) console.error(`No sandbox: ${sandbox.reason}`);

async function askPerson(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question, { signal }).finally(() => {
    terminal.close();
  });
  return answer.trim() === "y";
}

// A long test, or a server: the call returns at once, and nothing is done while it runs.
const start = { ...runCommand({ root, shell }), name: "start_command" } as const;

const agent = createAgent({
  model: openai(),
  instructions: "You are a careful engineer. Look before you change anything, and change only what the task needs.",
  tools: [...workspaceTools({ root, shell }), ...inBackground(start), taskCompletion(), giveUp()],
  // It may read, write in the folder, and run the tests. For any other command, the person at the terminal is asked.
  permission: gate({
    root,
    allow: ["run_command(npm test)", "start_command(npm test)"],
    approver: (call, { why, signal }) =>
      askPerson(`${call.name} ${JSON.stringify(call.input)}\n${why}. Allow it? [y/N] `, signal),
  }),
  // Runs before the first request and at each claim. Edited tests prove nothing, so they are protected.
  checks: [command("npm test", { cwd: root, shell, protect: ["test/**"] })],
  limits: { timeout: 20 * 60_000, maxTokens: 2_000_000 },
});

const outcome = await agent.run(task, {
  onEvent(event) {
    if (event.type === "call-end") console.error(event.result.name, event.result.ok ? "ok" : "failed");
    if (event.type === "check-end") console.error("check", event.check, event.passed ? "passed" : "failed");
  },
});

if (outcome.status === "completed") {
  console.log(`${outcome.value.result} (${outcome.verified})`);
} else {
  console.log(`${outcome.status}: ${outcome.message}`);
  process.exitCode = 2;
}
