// Slash commands: the table of the words that go to the conversation and not to the model.

import type { Tier } from "../../permission/index.js";
import { twoColumns } from "../display/paragraph.js";

/** The operations of the commands on a conversation. */
export interface Control {
  /** Columns for a line. */
  readonly columns: number;
  say(lines: readonly string[]): void;
  /** The name of the model. */
  model(): string;
  /** Uses another model from the next turn on. @throws LastcallError `configuration` if it can't be used. */
  useModel(name: string): Promise<void>;
  tier(): Tier;
  useTier(tier: Tier): Promise<void>;
  /** A line for each tool. */
  tools(): Promise<readonly string[]>;
  /** Lines about the agents that the model can call. */
  agents(): Promise<readonly string[]>;
  /** The calls of the agents that calls of the last turn ran. */
  calls(): readonly string[];
  /** Attaches a file to the next words. Returns a line about it. @throws LastcallError `configuration` if it can't be attached. */
  attach(path: string): Promise<string>;
  /** Runs the checks now. */
  check(): Promise<void>;
  /** Shortens the prompt, with the next turn. */
  compact(): void;
  /** Lines about the size and the contents of the context. */
  context(): Promise<readonly string[]>;
  /** Lines about what the conversation has changed in the folder. */
  diff(): Promise<readonly string[]>;
  /**
   * Takes back what the last turn changed, or makes that again. Returns lines about it.
   * @throws LastcallError `configuration` if there is nothing.
   */
  turnBack(what: "undo" | "redo"): Promise<readonly string[]>;
  /** Copies the session, and continues with the copy. */
  fork(): Promise<void>;
  /** Lines about the tokens and the cost of the conversation, and of its last turn. */
  cost(): Promise<readonly string[]>;
  /** Clears the screen. */
  clear(): void;
  /** Begins a new conversation. The present conversation is kept. */
  startAnew(): Promise<void>;
  quit(): void;
}

interface Command {
  readonly name: string;
  readonly takes: string;
  readonly help: string;
  /** True: the command can be obeyed during a run. */
  readonly anytime?: true;
  run(control: Control, argument: string): void | Promise<void>;
}

const tiers: readonly Tier[] = ["read-only", "workspace-write", "full-access"];

const commands: readonly Command[] = [
  {
    name: "help",
    takes: "",
    help: "shows this",
    anytime: true,
    run: (control) => {
      control.say(helpLines(control.columns));
    },
  },
  {
    name: "model",
    takes: "[NAME]",
    help: "says which model it is, or takes another one",
    async run(control, name) {
      if (name !== "") await control.useModel(name);
      control.say([`The model is ${control.model()}.`]);
    },
  },
  {
    name: "tools",
    takes: "",
    help: "lists the tools that the model has",
    anytime: true,
    async run(control) {
      control.say(await control.tools());
    },
  },
  {
    name: "agents",
    takes: "",
    help: "lists the agents that the model can call",
    anytime: true,
    async run(control) {
      control.say(await control.agents());
    },
  },
  {
    name: "open",
    takes: "",
    help: "shows the calls of the agents that ran last",
    anytime: true,
    run: (control) => {
      control.say(control.calls());
    },
  },
  {
    name: "tier",
    takes: "[TIER]",
    help: `says what the model may do at the most, or changes it: ${tiers.join(", ")}`,
    async run(control, word) {
      const tier = tiers.find((known) => known === word);
      if (tier === undefined && word !== "") {
        control.say([`There is no tier ${JSON.stringify(word)}: it is one of ${tiers.join(", ")}.`]);
        return;
      }
      if (tier !== undefined) await control.useTier(tier);
      control.say([`The tier is ${control.tier()}.`]);
    },
  },
  {
    name: "attach",
    takes: "FILE",
    help: "shows the model an image or a PDF together with your next words",
    anytime: true,
    async run(control, path) {
      control.say([
        path === "" ? "Say which file: /attach FILE." : `${await control.attach(path)}. It goes with your next words.`,
      ]);
    },
  },
  { name: "check", takes: "", help: "runs the commands of --until now", run: (control) => control.check() },
  {
    name: "compact",
    takes: "",
    help: "sums older messages up, so that the model has less before it",
    run: (control) => {
      control.compact();
    },
  },
  {
    name: "diff",
    takes: "",
    help: "shows what this conversation changed in the folder",
    async run(control) {
      control.say(await control.diff());
    },
  },
  {
    name: "undo",
    takes: "",
    help: "takes back what the last turn changed; once more, the turn before",
    async run(control) {
      control.say(await control.turnBack("undo"));
    },
  },
  {
    name: "redo",
    takes: "",
    help: "makes again what /undo took back",
    async run(control) {
      control.say(await control.turnBack("redo"));
    },
  },
  {
    name: "context",
    takes: "",
    help: "says what the model has before it",
    anytime: true,
    async run(control) {
      control.say(await control.context());
    },
  },
  {
    name: "cost",
    takes: "",
    help: "says how many tokens this conversation took, and what they cost",
    anytime: true,
    async run(control) {
      control.say(await control.cost());
    },
  },
  {
    name: "clear",
    takes: "",
    help: "clears the screen; the model forgets nothing",
    anytime: true,
    run: (control) => {
      control.clear();
    },
  },
  {
    name: "new",
    takes: "",
    help: "begins a new conversation; this conversation is kept",
    run: (control) => control.startAnew(),
  },
  {
    name: "fork",
    takes: "",
    help: "goes on with a copy; this conversation stays as it is",
    run: (control) => control.fork(),
  },
  {
    name: "quit",
    takes: "",
    help: "leaves; the conversation is kept",
    anytime: true,
    run: (control) => {
      control.quit();
    },
  },
];

/** True for a slash command. A path is none. */
export function isCommand(text: string): boolean {
  return /^\/[a-z]*(?:\s|$)/i.test(text);
}

/** Obeys a command. During a run, `later` is given, and takes the work that would disturb the run. */
export async function obey(text: string, control: Control, later?: (work: () => Promise<void>) => void): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([^]*)$/.exec(text.trim()) ?? [];
  const command = commands.find((known) => known.name === name.toLowerCase());
  if (command === undefined) control.say([`There is no /${name}. /help lists what there is.`]);
  else if (later === undefined || command.anytime === true) await command.run(control, argument.trim());
  else {
    control.say([`/${command.name} follows when this turn is over.`]);
    later(async () => command.run(control, argument.trim()));
  }
}

/** Completes the beginning of a command. Returns the text unchanged if there is not exactly one completion. */
export function completed(text: string): string {
  if (!/^\/[a-z]*$/i.test(text)) return text;
  const fitting = commands.filter(({ name }) => `/${name}`.startsWith(text.toLowerCase()));
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? `/${only.name}${only.takes === "" ? "" : " "}` : text;
}

function helpLines(columns: number): readonly string[] {
  const rows = commands.map(({ name, takes, help }) => [`/${name} ${takes}`.trimEnd(), help] as const);
  return [
    ...twoColumns(rows, columns),
    "Enter sends; Alt-Enter, Ctrl-J or a backslash before Enter begins a new line. Up and down go through what was said before.",
    "While the model works, what you type is read at its next step. Ctrl-C lets the iteration end, and stops then; Esc stops at once, and so does a second Ctrl-C. At rest, Ctrl-C twice leaves, and so does Ctrl-D.",
  ];
}
