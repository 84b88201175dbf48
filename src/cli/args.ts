// The command line: words in, settings out, or what is wrong with them.

import { parseArgs } from "node:util";
import { LastcallError } from "../core/index.js";
import type { Forcing } from "../model/index.js";

/** What the command was asked to do. */
export interface Settings {
  /** Empty for the demo. */
  readonly task: string;
  readonly workdir: string;
  readonly model: string | undefined;
  readonly baseURL: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly forcing: Forcing | "ladder" | undefined;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly string[];
  /** How often a claim may fail them; undefined for the default. */
  readonly attempts: number | undefined;
  /** What to do with writes and commands: `ask` insists on a terminal, undefined asks where there is one. */
  readonly approval: "yes" | "ask" | undefined;
  readonly input: boolean;
  readonly json: boolean;
  readonly log: "quiet" | "normal" | "verbose";
  readonly shows: "run" | "help" | "version";
}

/** What `--help` prints. */
export const help = `lastcall "task" [options]      works on the task in this folder until it is done
lastcall                       shows a demo with a recorded model

  --workdir DIR        the folder to work in; nothing outside it is touched by the file tools (default: here)
  --model NAME         the model (default: lastcall's own choice, or the first that a local server has)
  --base-url URL       any OpenAI-compatible server (default: OPENAI_BASE_URL, else api.openai.com)
  --api-key-env NAME   the environment variable with the key for that server (default: OPENAI_API_KEY)
  --forcing HOW        required, auto or xml: how the model is made to call tools (default: ladder, which finds out)
  --until COMMAND      accepts a completion only if this passes (exit code 0); can be given more than once
  --attempts N         how often it may fail before the run stops (default: 5)
  --yes                writes files and runs commands without asking
  --ask                asks before each; an error without a terminal (default: asks on a terminal, else refuses)
  --no-input           nobody is there: no questions, no approvals
  --json               prints the whole outcome as JSON instead of the answer
  --quiet, --verbose   less or more on standard error
  --help, --version

The answer goes to standard output, progress to standard error.
Exit codes: 0 completed, 1 failed, 2 stopped short, 3 waiting for an answer, 4 configuration or key, 124 timeout, 130 interrupted.
`;

const options = {
  workdir: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  "api-key-env": { type: "string" },
  forcing: { type: "string" },
  until: { type: "string", multiple: true },
  attempts: { type: "string" },
  yes: { type: "boolean" },
  ask: { type: "boolean" },
  "no-input": { type: "boolean" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/**
 * Reads the command line.
 * @throws LastcallError `configuration` that says which word is wrong and what to do.
 */
export function readArgs(argv: readonly string[]): Settings {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1) {
    throw wrong(
      `The task must be one word to the shell, but there are ${String(positionals.length)}; put it in quotes`,
    );
  }
  const [task = ""] = positionals;
  if (positionals.length === 1 && task.trim() === "") throw wrong("The task is empty; say what to do");
  if (values.yes && values.ask) throw wrong("--yes and --ask contradict each other; give one");
  if (values.quiet && values.verbose) throw wrong("--quiet and --verbose contradict each other; give one");
  if (values.ask && values["no-input"])
    throw wrong("--ask needs somebody to ask, and --no-input says nobody is there; give one");
  return {
    task,
    workdir: values.workdir ?? ".",
    model: values.model,
    baseURL: values["base-url"],
    apiKeyEnv: values["api-key-env"],
    forcing: readForcing(values.forcing),
    until: readCommands(values.until ?? []),
    attempts: readCount("--attempts", values.attempts),
    approval: values.yes ? "yes" : values.ask ? "ask" : undefined,
    input: !values["no-input"],
    json: values.json ?? false,
    log: values.quiet ? "quiet" : values.verbose ? "verbose" : "normal",
    shows: values.help ? "help" : values.version ? "version" : "run",
  };
}

const forcings: readonly (Forcing | "ladder")[] = ["ladder", "required", "auto", "xml"];

function readForcing(word: string | undefined): Settings["forcing"] {
  const forcing = forcings.find((known) => known === word);
  if (word === undefined || forcing !== undefined) return forcing;
  throw wrong(`--forcing ${JSON.stringify(word)} is none of ${forcings.join(", ")}`);
}

function readCommands(lines: readonly string[]): readonly string[] {
  if (lines.some((line) => line.trim() === "")) throw wrong("--until needs a command");
  return lines;
}

function readCount(option: string, word: string | undefined): number | undefined {
  if (word === undefined || /^[1-9]\d{0,8}$/.test(word)) return word === undefined ? undefined : Number(word);
  throw wrong(`${option} ${JSON.stringify(word)} is no whole number of at least 1`);
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;

function parse(argv: readonly string[]): Parsed {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (thrown) {
    throw wrong(thrown instanceof Error ? (thrown.message.split(". ")[0] ?? "") : "The command line can't be read");
  }
}

function wrong(what: string): LastcallError {
  return new LastcallError("configuration", `${what}. See lastcall --help.`);
}
