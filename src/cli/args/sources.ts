// Sources: the options of a command line, joined with the options of the session and of config files.

import { rows, type Name, type Values } from "./option-table.js";
import { names, wrong, type KeptOptions } from "./options.js";

/** Options from elsewhere than the command line. */
export interface Sources {
  /** The options that the session keeps. */
  readonly kept?: KeptOptions;
  /** The settings of config files. */
  readonly config?: Values;
}

/** The settings that say where sessions are. */
export type StoreSettings = Pick<Values, "sessions" | "store">;

/** The settings that say where sessions are. */
export function storeIn({ sessions, store }: Values): StoreSettings {
  return { ...(sessions !== undefined && { sessions }), ...(store !== undefined && { store }) };
}

/** Two options that contradict each other. The nearest source that gives either option decides about both. */
interface Contradiction {
  readonly between: readonly [Name, Name];
  /** The message about both options. */
  readonly message: string;
  /** The option that restricts a run. An option of a nearer source does not take it back: it is refused. */
  readonly firm?: Name;
  /** The option that stays beside the other one of a nearer source, because it also says where to look. */
  readonly stays?: Name;
  /** With one of these options, the two do not contradict each other. The message names the first. */
  readonly unless?: readonly Name[];
}

const contradictions: readonly Contradiction[] = [
  { between: ["yes", "ask"], message: "--yes and --ask contradict each other" },
  { between: ["json", "atif"], message: "--json and --atif name two forms, and show prints one" },
  { between: ["json", "html"], message: "--json and --html name two forms, and show prints one" },
  { between: ["atif", "html"], message: "--atif and --html name two forms, and show prints one" },
  { between: ["quiet", "verbose"], message: "--quiet and --verbose contradict each other" },
  {
    between: ["ask", "no-input"],
    message: "--ask needs somebody to ask, and --no-input says nobody is there",
    firm: "ask",
    unless: ["park", "dry-run"],
  },
  {
    between: ["park", "no-save"],
    message: "--park says to wait for an approval, and --no-save keeps no session that could wait",
  },
  {
    between: ["park", "dry-run"],
    message: "--park says to wait for an approval, and --dry-run does nothing that needs one",
    firm: "dry-run",
  },
  {
    between: ["plan", "no-input"],
    message: "--plan asks whether the plan is right, and --no-input says nobody is there",
    firm: "plan",
    unless: ["yes", "dry-run"],
  },
  { between: ["plan", "review"], message: "--plan works a plan off, and a review changes nothing", firm: "review" },
  { between: ["review", "agent"], message: "--review is an agent, and --agent names another", firm: "review" },
  { between: ["review", "until"], message: "--until checks work, and a review does none", firm: "review" },
  { between: ["review", "until-every"], message: "--until-every checks work, and a review does none", firm: "review" },
  { between: ["read", "live"], message: "--live runs what --read runs, and more" },
  { between: ["approve", "refuse"], message: "--approve and --refuse contradict each other" },
  {
    between: ["sessions", "no-save"],
    message: "--sessions says where to keep the session, and --no-save to keep none",
    stays: "sessions",
  },
  {
    between: ["store", "no-save"],
    message: "--store says where to keep the session, and --no-save to keep none",
    stays: "store",
  },
  {
    between: ["cap", "no-save"],
    message: "--cap counts what the session records of its changes, and --no-save records nothing",
    firm: "cap",
  },
  {
    between: ["soft-cap", "no-save"],
    message: "--soft-cap counts what the session records of its changes, and --no-save records nothing",
    firm: "soft-cap",
  },
  ...(["branch", "commit"] as const).flatMap((name): readonly Contradiction[] => [
    {
      between: [name, "no-save"],
      message: `--${name} commits what the session records of its changes, and --no-save records nothing`,
      firm: name,
    },
    {
      between: [name, "dry-run"],
      message: `--${name} commits what the task changed, and --dry-run changes nothing`,
      firm: "dry-run",
    },
  ]),
  {
    between: ["artifacts", "no-save"],
    message: "--artifacts has the session in it, and --no-save keeps none",
    firm: "artifacts",
  },
  { between: ["store", "sessions"], message: "--store keeps sessions in a database, and --sessions in a folder" },
  {
    between: ["network", "no-sandbox"],
    message: "--network is about the sandbox, and --no-sandbox says to use none",
  },
  { between: ["mcp", "no-mcp"], message: "--mcp names servers, and --no-mcp says to use none" },
  { between: ["agents", "no-agents"], message: "--agents names agents, and --no-agents says to use none" },
  {
    between: ["explore-model", "no-explore"],
    message: "--explore-model names a model for explore, and --no-explore leaves it out",
  },
  { between: ["config", "no-config"], message: "--config names a file, and --no-config says to read none" },
];

/**
 * Joins all options: the command line wins over the session, and that over config files. Rules of all three hold together. Of two options
 * that contradict each other, and of a command that two options could check, the nearest source decides about both.
 */
export function joinOptions(given: Values, { kept = {}, config: files = {} }: Sources): Values {
  const before = withoutBeaten(kept, given);
  const config = withoutBeaten(files, { ...before, ...given });
  const sources = [config, before, given];
  const lists = names.flatMap((name) => {
    const all = rows[name].addsUp ? sources.flatMap((source) => source[name] ?? []) : [];
    return all.length > 0 ? [[name, [...new Set(all)]]] : [];
  });
  return { ...config, ...before, ...given, ...(Object.fromEntries(lists) as Values) };
}

/** True if the options say something by this name: a switch that is off, and an empty list, say nothing. */
function says(values: Values, name: Name): boolean {
  const value: unknown = values[name];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** The options, without the options that the winning source decides about. */
function withoutBeaten(values: Values, winning: Values): Values {
  const beaten = contradictions.flatMap(({ between: [one, other], firm, stays, unless = [] }) => {
    if (unless.some((name) => says(winning, name))) return [];
    const both = [...(says(winning, one) ? [other] : []), ...(says(winning, other) ? [one] : [])];
    return both.filter((name) => name !== firm && name !== stays);
  });
  const left = Object.entries(values).filter(([name]) => beaten.every((one) => one !== name));
  return withoutLines(Object.fromEntries(left), winning);
}

/** The options without the commands that a source which wins over them runs at another time. */
function withoutLines(values: Values, winning: Values): Values {
  const left = (["until", "until-every"] as const).flatMap((name) => {
    const others = winning[name === "until" ? "until-every" : "until"] ?? [];
    const lines = values[name];
    return lines === undefined ? [] : [[name, lines.filter((line) => !others.includes(line))] as const];
  });
  return { ...values, ...Object.fromEntries(left) };
}

/**
 * Checks that no two of the joined options contradict each other.
 * @throws LastcallError `configuration` that says where each option comes from if not from the command line, and what to do.
 */
export function expectNoContradiction(joined: Values, given: Values, { kept = {} }: Sources): void {
  const sourceOf = (name: Name): string => {
    if (says(given, name)) return "given";
    return says(kept, name) ? "the session keeps" : "a config file has";
  };
  for (const { between, message, firm, stays, unless = [] } of contradictions) {
    if (!between.every((name) => says(joined, name)) || unless.some((name) => says(joined, name))) continue;
    const [one, other] = between;
    const source = sourceOf(firm ?? one);
    const [remedy] = unless;
    const way = remedy === undefined ? "" : `, or add --${remedy}`;
    if (sourceOf(one) !== sourceOf(other)) {
      if (firm === undefined) continue;
      throw wrong(`${message}; ${source} --${firm}: leave --${firm === one ? other : one} out${way}`);
    }
    if (source === "given") throw wrong(`${message}; give one`);
    if (stays === undefined) throw wrong(`${message}; ${source} both: leave one out there`);
  }
}
