// The options of the command: what there is, which a session keeps, and which a config file may set.

import { parseArgs } from "node:util";
import { wrong } from "./values.js";

const options = {
  workdir: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  "api-key-env": { type: "string" },
  forcing: { type: "string" },
  instructions: { type: "string", multiple: true },
  "no-agents-md": { type: "boolean" },
  until: { type: "string", multiple: true },
  "until-every": { type: "string", multiple: true },
  protect: { type: "string", multiple: true },
  attempts: { type: "string" },
  "on-edit": { type: "string", multiple: true },
  "max-iterations": { type: "string" },
  timeout: { type: "string" },
  "max-tokens": { type: "string" },
  "max-cost": { type: "string" },
  prices: { type: "string" },
  tier: { type: "string" },
  allow: { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  ask: { type: "boolean" },
  yes: { type: "boolean" },
  "dry-run": { type: "boolean" },
  "no-sandbox": { type: "boolean" },
  network: { type: "boolean" },
  config: { type: "string" },
  "no-config": { type: "boolean" },
  "no-input": { type: "boolean" },
  json: { type: "boolean" },
  notes: { type: "boolean" },
  "notes-from": { type: "string" },
  window: { type: "string" },
  sessions: { type: "string" },
  "no-save": { type: "boolean" },
  more: { type: "boolean" },
  quiet: { type: "boolean" },
  verbose: { type: "boolean" },
  log: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

type Parsed = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;

/** The options that were given, by their names. */
export type Values = Parsed["values"];

type Name = keyof typeof options;

/** What belongs to the task, and not to who sits at it; and what a run was held to, which a resume must not lift. */
const keptNames = [
  "workdir",
  "instructions",
  "no-agents-md",
  "model",
  "base-url",
  "api-key-env",
  "forcing",
  "until",
  "until-every",
  "protect",
  "attempts",
  "on-edit",
  "max-iterations",
  "timeout",
  "max-tokens",
  "max-cost",
  "prices",
  "notes",
  "window",
  "tier",
  "deny",
  "ask",
  "dry-run",
] as const;

/** Options that a session is gone on with. What gives authority is none of them. */
export type KeptOptions = Pick<Values, (typeof keptNames)[number]>;

/** What is about one run alone, or about where everything is. */
const notInFiles: ReadonlySet<Name> = new Set<Name>([
  "workdir",
  "config",
  "no-config",
  "notes-from",
  "more",
  "dry-run",
  "help",
  "version",
]);

/** What a config file may set. */
export const fileNames: readonly Name[] = (Object.keys(options) as Name[]).filter((name) => !notInFiles.has(name));

/**
 * The words of a command line, sorted.
 * @throws LastcallError `configuration` for an option that there is not, or that lacks its value.
 */
export function parseOptions(argv: readonly string[]): Parsed {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (thrown) {
    throw wrong(thrown instanceof Error ? (thrown.message.split(". ")[0] ?? "") : "The command line can't be read");
  }
}

/** Where the options of a command come from, besides its words. */
export interface Sources {
  /** What the session was begun with. */
  readonly kept?: KeptOptions;
  /** What a config file says. */
  readonly config?: Values;
}

/** All options that hold: what is given before what was kept before what a file says. Rules that forbid add up, and so do those that allow. */
export function joinOptions(given: Values, { kept = {}, config = {} }: Sources): Values {
  const { ask, ...others } = kept;
  const before = given.yes === true ? others : { ...others, ...(ask !== undefined && { ask }) };
  const joined: Values = { ...config, ...before, ...given };
  const all = (name: "allow" | "deny"): readonly string[] => [
    ...new Set([...(config[name] ?? []), ...((before as Values)[name] ?? []), ...(given[name] ?? [])]),
  ];
  const [allow, deny] = [all("allow"), all("deny")];
  if (allow.length > 0) joined.allow = [...allow];
  if (deny.length > 0) joined.deny = [...deny];
  return joined;
}

/** True where the value is one that the option takes. */
export function isValueOf(name: Name, value: unknown): boolean {
  const { type, ...more } = options[name];
  const isOne = (one: unknown): boolean => typeof one === type;
  return "multiple" in more ? Array.isArray(value) && value.every(isOne) : isOne(value);
}

/** What kind of value the option takes, in words. */
export function kindOfOption(name: Name): "a list of texts" | "a text" | "true or false" {
  const { type, ...more } = options[name];
  if (type === "boolean") return "true or false";
  return "multiple" in more ? "a list of texts" : "a text";
}

/** Those of the options that are kept. Whatever else there is, what is no option's value, and a tier that allows much, is left out. */
export function pickKept(values: Readonly<Record<string, unknown>>): KeptOptions {
  const found = keptNames.filter((name) => isValueOf(name, values[name]));
  const strict = found.filter((name) => name !== "tier" || values[name] === "read-only");
  return Object.fromEntries(strict.map((name) => [name, values[name]]));
}

/** The options as one would type them. */
export function typed(kept: KeptOptions): string {
  return Object.entries(kept)
    .flatMap(([name, value]) =>
      [value].flat().map((one) => `--${name}${one === true ? "" : ` ${quoted(String(one))}`}`),
    )
    .join(" ");
}

/** The word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
