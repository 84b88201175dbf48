// The commands: the first words that are no task. The orders: the things that a command line can ask for.

/** The commands, with the words that each command takes. */
export const commands = {
  init: "[FOLDER]",
  run: "FILE",
  chat: "[ID]",
  resume: 'ID ["ANSWER"]',
  review: "[ID | RANGE]",
  sessions: "[import FILE]",
  stats: "[ID]",
  show: "ID",
  fork: "ID[@RECORD]",
  verify: "ID",
  diff: "ID[@ITERATION]",
  undo: "ID[@ITERATION]",
  redo: "ID",
  repair: "ID",
  prune: "AGE",
  agents: "",
  mcp: "list | test NAME [TOOL [JSON]] | serve",
  replay: "ID",
  bisect: "ID",
  eval: "[FILE|FOLDER]",
  cassette: "check FILE",
  serve: "",
  studio: "",
  work: "",
  schedule: '[[NAME] "TASK" | remove NAME]',
  store: "migrate",
  demo: "",
  docs: "[PAGE | WORDS]",
  help: "[PAGE]",
  version: "",
} as const;

/** The name of a command. */
export type Command = keyof typeof commands;

/** Other words for commands. */
const otherNames: ReadonlyMap<string, Command> = new Map([
  ["list", "sessions"],
  ["session", "sessions"],
]);

/** The command of this name; undefined if there is none. */
export function commandNamed(word: string): Command | undefined {
  return Object.hasOwn(commands, word) ? (word as Command) : otherNames.get(word);
}

/** The orders, with the words of a command line that give them. */
export const orders = {
  run: "a task",
  init: "lastcall init",
  resume: "lastcall resume",
  chat: "lastcall chat",
  review: "lastcall review",
  serve: "lastcall serve",
  studio: "lastcall studio",
  work: "lastcall work",
  schedule: "lastcall schedule",
  "mcp-serve": "lastcall mcp serve",
  replay: "lastcall replay",
  bisect: "lastcall bisect",
  eval: "lastcall eval",
  agents: "lastcall agents",
  "mcp-list": "lastcall mcp list",
  "mcp-test": "lastcall mcp test",
  "cassette-check": "lastcall cassette check",
  list: "lastcall sessions",
  import: "lastcall sessions import",
  stats: "lastcall stats",
  show: "lastcall show",
  fork: "lastcall fork",
  verify: "lastcall verify",
  diff: "lastcall diff",
  undo: "lastcall undo",
  redo: "lastcall redo",
  prune: "lastcall prune",
  repair: "lastcall repair",
  "store-migrate": "lastcall store migrate",
  demo: "lastcall demo",
  docs: "lastcall docs",
  "docs-mcp": "lastcall docs --mcp",
} as const;

/** The name of an order that takes options; the help and the version take none. */
export type OrderName = keyof typeof orders;

/** The orders that run the agent of the settings. A studio runs agents of sessions, which have their settings. */
export const agentOrders: readonly OrderName[] = [
  "run",
  "resume",
  "chat",
  "review",
  "replay",
  "bisect",
  "serve",
  "work",
  "mcp-serve",
];
