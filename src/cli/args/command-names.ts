// The commands: the first words that are no task.

/** The commands, with the words that each command takes. */
export const commands = {
  chat: "[ID]",
  resume: 'ID ["ANSWER"]',
  sessions: "",
  show: "ID",
  fork: "ID[@RECORD]",
  repair: "ID",
  prune: "AGE",
  agents: "",
  mcp: "list | test NAME [TOOL [JSON]] | serve",
  serve: "",
  studio: "",
  store: "migrate",
  demo: "",
  help: "[PAGE]",
  version: "",
} as const;

/** The name of a command. */
export type Command = keyof typeof commands;

/** Other words for commands. */
const otherNames: Readonly<Record<string, Command>> = { list: "sessions", session: "sessions" };

/** The command of this name; undefined if there is none. */
export function commandNamed(word: string): Command | undefined {
  return Object.hasOwn(commands, word) ? (word as Command) : otherNames[word];
}
