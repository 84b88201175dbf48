// Orders: the task of the command, in the words of a command line that are not options.

import type { LastcallError } from "../../core/index.js";
import { nearest } from "../display/misspelling.js";
import { commandNamed, commands, type Command } from "./command-names.js";
import { readMcpOrder, type McpOrder } from "./mcp-order.js";
import type { OptionValues } from "./option-table.js";
import { asServer, wrong, type Job } from "./options.js";

/** Words of the command line for the model. */
export interface Given {
  /** The words; undefined if they come from standard input. */
  readonly words: string | undefined;
  /** True: standard input was named by `-`, so it is read to its end, whatever it is. */
  readonly namesInput: boolean;
}

/** A yes or no on the command line. */
export interface GivenVerdict {
  readonly allowed: boolean;
  /** The beginning of the digest of the call; undefined if it is not compared. */
  readonly digest: string | undefined;
}

/** The task of the command. */
export type Order =
  /** `isNamed`: the command `demo`, and not a command line without words. */
  | { readonly do: "demo"; readonly isNamed: boolean }
  | { readonly do: "version" }
  /** Makes a project. Without a folder: in the folder that the command runs in. */
  | { readonly do: "init"; readonly folder: string | undefined }
  /** Without a page: the overview. */
  | { readonly do: "help"; readonly page: string | undefined }
  | { readonly do: "list" }
  /** Imports the session of a file: a page, or JSON. */
  | { readonly do: "import"; readonly file: string }
  /** Deletes the sessions that were not used for this many milliseconds. */
  | { readonly do: "prune"; readonly age: number }
  /** `job`: the file that has the task. */
  | { readonly do: "run"; readonly task: Given; readonly job?: string }
  /** Runs the task of a file, with the options in it. */
  | { readonly do: "job"; readonly file: string }
  /** Without an id: a new conversation. */
  | { readonly do: "chat"; readonly id: string | undefined }
  /** Reviews the changes of a session or of git. Without words: of the working tree since the last commit. */
  | { readonly do: "review"; readonly what: string | undefined }
  /** Without an answer: resumes the last run. */
  | {
      readonly do: "resume";
      readonly id: string;
      readonly answer: Given | undefined;
      readonly more: boolean;
      /** The answer to the call that waits for an approval. The words are its reason. */
      readonly approval?: GivenVerdict;
    }
  /** Counts what all sessions did, or one. */
  | { readonly do: "stats"; readonly id: string | undefined }
  | { readonly do: "show"; readonly id: string }
  /** Verifies the approvals of a session. */
  | { readonly do: "verify"; readonly id: string }
  /** Without `write`, only says what it would do. */
  | { readonly do: "repair"; readonly id: string; readonly write: boolean }
  | { readonly do: "fork"; readonly id: string; readonly at: number | undefined }
  /** Shows, takes back or makes again what a session has changed in the folder, after this iteration. */
  | { readonly do: "diff" | "undo" | "redo"; readonly id: string; readonly after: number | undefined }
  /** Replays a session with the agent of now. */
  | { readonly do: "replay"; readonly id: string }
  /** Finds the difference of two agents at which the run of a session departs. */
  | { readonly do: "bisect"; readonly id: string }
  /** Runs the evaluation of a file, or the suite that an option names. */
  | { readonly do: "eval"; readonly file: string | undefined }
  /** Lists the agents that the model can call. */
  | { readonly do: "agents" }
  /** Serves an agent behind HTTP, with the studio. */
  | { readonly do: "serve" }
  /** Serves the studio alone. */
  | { readonly do: "studio" }
  /** Works on what is given to the workers of a database. */
  | { readonly do: "work" }
  /** Gives a task to the workers, now or at times; without one, lists or removes what they get at times. */
  | { readonly do: "schedule"; readonly plan: SchedulePlan }
  /** Makes the tables of the store in a database. */
  | { readonly do: "store-migrate" }
  /** Shows a page of the docs, or the pages that have these words. Without words: all pages. */
  | { readonly do: "docs"; readonly words: string | undefined }
  /** Serves the docs over MCP. */
  | { readonly do: "docs-mcp" }
  /** Checks a recording. */
  | { readonly do: "cassette-check"; readonly file: string }
  | McpOrder;

/** The words of `lastcall schedule`. */
export type SchedulePlan =
  | { readonly is: "list" }
  | { readonly is: "removed"; readonly name: string }
  /** Without a name: the command makes one. */
  | { readonly is: "given"; readonly name: string | undefined; readonly task: string };

/** The words that are not options. */
export interface OrderWords {
  readonly positionals: readonly string[];
  /** True: `--` stands before the words, so they are a task and no command. */
  readonly isTask?: boolean;
  /** The job that these words are read from. */
  readonly job?: Job;
}

/** The switches that change an order. */
export type OrderSwitches = Pick<OptionValues, "more" | "write" | "approve" | "refuse" | "digest" | "at" | "every">;

/**
 * Reads the words that are not options.
 * @throws LastcallError `configuration` for words that are not an order.
 */
export function readOrder({ positionals, isTask = false, job }: OrderWords, switches: OrderSwitches): Order {
  if (job !== undefined) return { do: "run", task: { words: job.task, namesInput: false }, job: job.path };
  const [first = "", ...others] = positionals;
  if (positionals.length === 0) return { do: "demo", isNamed: false };
  const command = isTask ? undefined : commandNamed(first);
  if (command !== undefined) return readCommand(command, others, switches);
  if (!isTask) expectNoMisspelling(first, others);
  return { do: "run", task: readGiven(positionals, "task") };
}

/**
 * A slip is rarely in the first letter, and "memo" is a task and not `demo`.
 * @throws LastcallError `configuration` if the words were most likely meant as a command.
 */
function expectNoMisspelling(first: string, others: readonly string[]): void {
  const alike = Object.keys(commands).filter((name) => name.startsWith(first.charAt(0).toLowerCase()));
  const meant = nearest(first, alike);
  if (meant === undefined) return;
  const line = ["lastcall", meant, ...others.map((word) => (/^[\w@.-]+$/.test(word) ? word : JSON.stringify(word)))];
  const task = others.length === 0 ? ` For a task of this one word: lastcall -- ${first}.` : "";
  throw wrong(`There is no command ${JSON.stringify(first)}. Did you mean ${line.join(" ")}?${task}`);
}

/** @throws LastcallError `configuration` for a digest without an answer, or words with a yes. */
function readVerdict({ approve, refuse, digest }: OrderSwitches, hasWords: boolean): GivenVerdict | undefined {
  if (digest !== undefined && !/^[0-9a-f]{8,64}$/.test(digest))
    throw wrong(`${JSON.stringify(digest)} is no digest of a call: give at least 8 of its characters`, "resume");
  if (!approve && !refuse) {
    if (digest !== undefined)
      throw wrong("--digest says which call the answer is about; add --approve or --refuse", "resume");
    return undefined;
  }
  if (approve && hasWords)
    throw wrong("--approve takes no words: the call runs as it is. Leave them out, or give --refuse", "resume");
  return { allowed: approve, digest };
}

function readCommand(command: Command, words: readonly string[], switches: OrderSwitches): Order {
  const { more, write } = switches;
  const [first = "", ...others] = words;
  const isGiven = first.trim() !== "";
  const expectWords = (least: number, most: number): void => {
    if (words.length < least || (least > 0 && !isGiven)) throw wrong(needs(command), command);
    if (words.length <= most) return;
    const takes = commands[command] === "" ? "no other words" : `${commands[command]} and no more`;
    throw wrong(`lastcall ${command} takes ${takes}; a task that begins so has to be in quotes`, command);
  };
  switch (command) {
    case "help":
      expectWords(0, 1);
      return { do: "help", page: words[0] };
    case "version":
      expectWords(0, 0);
      return { do: "version" };
    case "demo":
      expectWords(0, 0);
      return { do: "demo", isNamed: true };
    case "docs":
      return readDocs(words);
    case "init":
      expectWords(0, 1);
      return { do: "init", folder: words[0] };
    case "run":
      expectWords(1, 1);
      return { do: "job", file: first };
    case "sessions":
      expectWords(0, 2);
      if (words.length === 0) return { do: "list" };
      if (first !== "import")
        throw wrong(`lastcall sessions has no ${JSON.stringify(first)}; it has import FILE`, command);
      if ((others[0] ?? "") === "")
        throw wrong("lastcall sessions import needs a file: a page of lastcall show ID --html, or its JSON", command);
      return { do: "import", file: others[0] ?? "" };
    case "chat":
      expectWords(0, 1);
      return { do: "chat", id: words[0] };
    case "review":
      expectWords(0, 1);
      if (first.startsWith("-")) throw wrong(`${JSON.stringify(first)} is no session and no range of git`, command);
      return { do: "review", what: isGiven ? first : undefined };
    case "stats":
      expectWords(0, 1);
      return { do: "stats", id: words[0] };
    case "eval":
      expectWords(0, 1);
      return { do: "eval", file: words[0] };
    case "show":
      expectWords(1, 1);
      return { do: "show", id: first };
    case "fork":
      expectWords(1, 1);
      return readFork(first);
    case "diff":
    case "undo":
      expectWords(1, 1);
      return { do: command, ...readAt(first, command, "20260101-1200-abcd@3") };
    case "redo":
      expectWords(1, 1);
      return { do: "redo", id: first, after: undefined };
    case "verify":
    case "replay":
    case "bisect":
      expectWords(1, 1);
      return { do: command, id: first };
    case "repair":
      expectWords(1, 1);
      return { do: "repair", id: first, write };
    case "agents":
      expectWords(0, 0);
      return { do: "agents" };
    case "serve":
    case "studio":
    case "work":
      expectWords(0, 0);
      return { do: command };
    case "schedule":
      expectWords(0, 2);
      return { do: "schedule", plan: readSchedule(words, switches) };
    case "store":
      expectWords(1, 1);
      if (first !== "migrate") throw wrong(`lastcall store has no ${JSON.stringify(first)}; it has migrate`, command);
      return { do: "store-migrate" };
    case "cassette":
      expectWords(2, 2);
      if (first !== "check")
        throw wrong(`lastcall cassette has no ${JSON.stringify(first)}; it has check FILE`, command);
      return { do: "cassette-check", file: others[0] ?? "" };
    case "mcp":
      return readMcpOrder(words);
    case "prune":
      expectWords(1, 1);
      return { do: "prune", age: readAge(first) };
    case "resume": {
      expectWords(1, 3);
      if (others[0]?.trim() === "") throw wrong("The answer is empty; leave it out to go on without one", command);
      const approval = readVerdict(switches, others.length > 0);
      const answer = others.length === 0 ? undefined : readGiven(others, "answer");
      return { do: "resume", id: first, answer, more, ...(approval && { approval }) };
    }
  }
}

/** @throws LastcallError `configuration` for a word that is no name, an empty task, and times without a task. */
function readSchedule(words: readonly string[], { at, every }: OrderSwitches): SchedulePlan {
  const refuse = (why: string): LastcallError => wrong(why, "schedule");
  const [first = "", second] = words;
  const hasTimes = at !== undefined || every !== undefined;
  const isRemoval = first === "remove" && second !== undefined;
  if (hasTimes && (words.length === 0 || isRemoval)) throw refuse("--at and --every go with a task");
  if (words.length === 0) return { is: "list" };
  const task = second ?? first;
  if (task.trim() === "") throw refuse(isRemoval ? "The name is empty" : "The task is empty; say what to do");
  if (isRemoval) return { is: "removed", name: second };
  if (second === undefined && /^[\w.-]+$/.test(first))
    throw refuse(
      `lastcall schedule ${first} has a name and no task, such as lastcall schedule ${first} "check the links" --every 24h`,
    );
  if (second === undefined) return { is: "given", name: undefined, task };
  if (!/^[\w.-]{1,60}$/.test(first) || first === "remove")
    throw refuse(`${JSON.stringify(first)} is no name: take up to 60 letters, digits, dots, _ and -`);
  if (!hasTimes) throw refuse("A name is for what comes at times; add --every or --at, or leave the name out");
  return { is: "given", name: first, task };
}

/** The words need no quotes: no page and no search is a task. */
function readDocs(words: readonly string[]): Order {
  if (words.includes(asServer)) {
    if (words.length > 1) throw wrong("lastcall docs --mcp serves all pages and takes no words", "docs");
    return { do: "docs-mcp" };
  }
  const query = words.join(" ").trim();
  if (words.length > 0 && query === "")
    throw wrong("The words to look for are empty; leave them out to list the pages", "docs");
  return { do: "docs", words: words.length === 0 ? undefined : query };
}

/** The message for a command without a word that it needs. */
function needs(command: Command): string {
  if (command === "store") return "lastcall store needs a word: lastcall store migrate makes the tables";
  if (command === "run") return "lastcall run needs the file of a job: lastcall run job.yaml";
  if (command === "cassette") return "lastcall cassette needs check and a file: lastcall cassette check FILE";
  return command === "prune"
    ? "lastcall prune needs the age of the sessions to delete, such as 12h, 30d or 4w"
    : `lastcall ${command} needs the id of a session; lastcall sessions lists them`;
}

/** The words for the model. A `-` at their end, or alone, is standard input. */
function readGiven(words: readonly string[], what: "task" | "answer"): Given {
  const [first = "", second] = words;
  const namesInput = words.at(-1) === "-";
  if (words.length > (namesInput ? 2 : 1))
    throw wrong(`The ${what} must be one word to the shell, but there are ${String(words.length)}; put it in quotes`);
  if (namesInput && second === undefined) return { words: undefined, namesInput };
  if (first.trim() === "") throw wrong(`The ${what} is empty; say what to do`);
  return { words: first, namesInput };
}

const ageUnits: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };

function readAge(word: string): number {
  const [, number = "", unit = ""] = /^([1-9]\d*)([hdw])$/.exec(word) ?? [];
  const age = Number(number) * (ageUnits[unit] ?? 0);
  if (age > 0 && Number.isSafeInteger(age)) return age;
  throw wrong(`${JSON.stringify(word)} is no age of sessions to delete, such as 12h, 30d or 4w`, "prune");
}

function readFork(word: string): Order {
  const { id, after: at } = readAt(word, "fork", "20260101-1200-abcd@42");
  return { do: "fork", id, at };
}

/** The id of a session, and the number behind it. */
function readAt(
  word: string,
  command: Command,
  example: string,
): { readonly id: string; readonly after: number | undefined } {
  const [, id = "", at] = /^(.+?)(?:@(\d+))?$/.exec(word) ?? [];
  if (id !== "") return { id, after: at === undefined ? undefined : Number(at) };
  const what = command === "fork" ? "session and record to fork" : `session and iteration to ${command} from`;
  throw wrong(`${JSON.stringify(word)} is no ${what}, for example ${example}`, command);
}
