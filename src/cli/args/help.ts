// The help: what the command takes, and the limits that are on by themselves.

import type { LimitOptions } from "../../core/index.js";

/** The limits that are on by themselves. */
export type Presets = Required<
  Pick<LimitOptions, "maxIterations" | "timeout" | "maxTokens" | "iterationTimeout" | "toolTimeout">
>;

/** Generous, so that nothing runs for ever and nobody has to think of them. */
export const presets: Presets = {
  maxIterations: 200,
  timeout: 2 * 60 * 60_000,
  maxTokens: 20_000_000,
  iterationTimeout: 30 * 60_000,
  toolTimeout: 20 * 60_000,
};

/** What `--help` prints. */
export function help(): string {
  return `lastcall "task" [options]      works on the task in this folder until it is done
lastcall chat [ID]             a conversation at the terminal, a new one or one that is kept; without a terminal, line by line
lastcall resume ID ["answer"]  answers a session's question, or goes on where it was left
lastcall sessions              lists the sessions; show ID prints one, fork ID@RECORD copies it up to a record
lastcall prune 30d             deletes the sessions that nobody has gone on with for 30 days (or 12h, 4w)
lastcall                       shows a demo with a recorded model

  --workdir DIR        the folder to work in; nothing outside it is touched by the file tools (default: here)
  --instructions FILE  what the model should know besides, from a file of yours; can be given more than once
  --no-agents-md       leaves out AGENTS.md of the folder (default: the nearest one up to the root of the repository is read)
  --model NAME         the model (default: OPENAI_MODEL, else lastcall's own choice, or the first that a local server has)
  --base-url URL       any OpenAI-compatible server (default: OPENAI_BASE_URL, else api.openai.com)
  --api-key-env NAME   the environment variable with the key for that server (default: OPENAI_API_KEY)
  --forcing HOW        required, auto or xml: how the model is made to call tools (default: ladder, which finds out)
  --until COMMAND      accepts a completion only if this passes (exit code 0); can be given more than once
  --until-every COMMAND  the same, and also run after each iteration that changed something; once all pass, the run ends
  --protect PATTERN    files that must stay as they are for that, for example "test/**"; can be given more than once
  --attempts N         how many claims may fail them before the run stops (default: 5)
  --on-edit "PATTERN: COMMAND"  runs this after a file was written, {file} being its path; the model reads what it prints
  --no-input           nobody is there: no questions, no approvals
  --json               prints the whole outcome as JSON instead of the answer
  --quiet, --verbose   less or more on standard error
  --log FILE           appends all that happens to this file, one line of JSON for each event, secrets left out
  --notes              gives the model tools to note what it must not forget, however long the task takes
  --notes-from ID      the same, and begins with the notes of that session
  --window TOKENS      how much the model takes at once: older messages are shortened as it fills (default: once it is refused)
  --sessions DIR       where sessions are kept (default: lastcall in XDG_STATE_HOME or ~/.local/state)
  --no-save            keeps no session
  --more               with resume: gives a completed session new words
  --help, --version

What the agent may do (docs/what-the-agent-may-do.md). What no rule decides is asked about on a terminal, and refused without one.
  --tier TIER          read-only, workspace-write or full-access: the most that there is (default: workspace-write)
  --allow RULE         "run_command(npm test)" exactly this, "run_command(wc *)" any that begins so, "write(src/**)" these files
  --deny RULE          the same, forbidden whatever else is said; both can be given more than once
  --yes                does what nothing forbids without asking; rules and protected files still hold
  --ask                asks about everything; an error without a terminal
  --dry-run            changes nothing; lists at the end what would have been changed and run
  --no-sandbox         runs commands on this machine as it is (default: in a sandbox, where bubblewrap is installed)
  --network            lets commands in the sandbox use the network
  --config FILE        settings by the names of these options, as JSON or YAML (default: lastcall.config.yaml in the folder, once
                       trusted, over ~/.config/lastcall/config.yaml); --no-config reads none

Limits, as a number or none. At four fifths the model is told; at the end it has one last reply to say how far it came.
  --max-iterations N   replies of the model (default: ${String(presets.maxIterations)})
  --timeout TIME       90s, 10m or 2h; a plain number is seconds (default: 2h)
  --max-tokens N       tokens of all requests, in and out (default: ${String(presets.maxTokens)})
  --max-cost AMOUNT    what all requests may cost; needs --prices (default: none)
  --prices FILE        JSON, by the model's name, for a million tokens: {"m": {"input": 1, "cachedInput": 0.1, "output": 8}}

The answer goes to standard output, progress to standard error.
Exit codes: 0 completed (with --until: and checked), 1 failed, 2 stopped short, 3 waiting for an answer, 4 configuration or key, 124 timeout, 130 interrupted.
`;
}
