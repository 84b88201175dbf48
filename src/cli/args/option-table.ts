// The options of the command, one row for each: the parser, the help, the settings, sessions and config files go by this table.

import { agentOrders, orders, type OrderName } from "./command-names.js";
import type { ValueTypes } from "./values.js";

type Group = "runs" | "stored" | "all";

/** One option. */
export interface Row {
  /** The placeholder of the value in the help. An option without one is a switch. */
  readonly value?: string;
  /** The reader of the value. Default: any text. */
  readonly read?: keyof ValueTypes;
  /** The option can be given more than once. */
  readonly multiple?: true;
  readonly short?: string;
  /** The default as one would type it; the help states it. */
  readonly default?: string;
  /** A session keeps the option for when it is resumed; a text is the only value that it keeps. Never an option that grants rights. */
  readonly kept?: true | string;
  /** Values from the command line, the session and config files hold together. By default the first of these wins. */
  readonly addsUp?: true;
  /** False if a config file can't set the option: it concerns one run, or says where files are. */
  readonly inFiles?: false;
  /** The value is a path. In a config file, a relative path starts at the folder of that file. */
  readonly isPath?: true;
  /** The orders that take the option, and groups of such orders. Default: `runs`. */
  readonly goesWith?: readonly (OrderName | Group)[];
  /** The page of the help that begins with this option; it has all options up to the next page. */
  readonly page?: { readonly name: string; readonly heading: string };
  /** Another switch in the same line of help. */
  readonly alongside?: string;
  /** The help. An option in another option's line says which. */
  readonly help: string | { readonly in: string };
}

/**
 * Orders that take many options alike: the orders that run an agent or tell what a run would have, the orders about stored sessions, and
 * all orders.
 */
const groups: Readonly<Record<Group, readonly OrderName[]>> = {
  runs: [...agentOrders, "studio", "agents", "mcp-list"],
  stored: [
    "list",
    "stats",
    "show",
    "import",
    "fork",
    "verify",
    "diff",
    "undo",
    "redo",
    "prune",
    "repair",
    "store-migrate",
  ],
  all: Object.keys(orders) as readonly OrderName[],
};

// prettier-ignore
const table = {
  workdir: {
    page: { name: "task", heading: "The task, and what the model knows besides it." },
    value: "DIR", kept: true, inFiles: false, isPath: true, goesWith: ["runs", "stored", "mcp-test"],
    help: "the folder to work in; nothing outside it is touched by the file tools (default: here)" },
  instructions: { value: "FILE", multiple: true, kept: true, isPath: true,
    help: "what the model should know besides, from a file of yours; can be given more than once" },
  "no-agents-md": { kept: true,
    help: "leaves out AGENTS.md of the folder (default: the nearest one up to the root of the repository is read)" },
  attach: { value: "FILE", multiple: true, inFiles: false, isPath: true,
    help: "shows the model this image or PDF together with the task, or with the answer of resume, from anywhere; can be given more than once" },
  plan: { kept: true, inFiles: false, goesWith: ["run"],
    help: "has an agent that only reads plan the task first; yes lets the plan be worked off, other words change it, and --yes takes it at once; lastcall help plan" },
  review: { kept: true, inFiles: false, goesWith: ["run", "review"],
    help: "with a diff in the task or from a pipe: an agent that only reads reviews it, as lastcall review does with the diffs of git and of sessions" },
  as: { value: "NAME", inFiles: false, goesWith: ["run", "resume", "chat", "review"],
    help: "the name of whoever gives the task, the words, the answer, the approval or Ctrl-C: the journal keeps it, and tools see it" },
  notes: { kept: true, help: "gives the model tools to note what it must not forget, however long the task takes" },
  "notes-from": { value: "ID", inFiles: false, goesWith: ["run"], help: "the same, and begins with the notes of that session" },

  agent: {
    page: { name: "agent", heading: "An agent and tools of yours, from modules (docs/your-own-agent.md). A module is code that runs with your rights, in JavaScript, or in TypeScript with Node 22.18 or later. Its tools pass the gate like all others. Every other option holds as well, and wins over the module." },
    value: "FILE", kept: true, isPath: true, goesWith: ["runs", "schedule"],
    help: "the module's default export is the agent: instructions, tools, checks, limits; or a function that makes it" },
  tools: { value: "FILE", multiple: true, kept: true, isPath: true,
    help: "tools to add: the exports of this module are tools, lists of them, or functions that make them; can be given more than once" },
  mcp: { value: "FILE", multiple: true, kept: true, isPath: true, goesWith: ["runs", "mcp-test"],
    help: "MCP servers whose tools are added, from a file of the form of .mcp.json; can be given more than once (default: those of the setting mcp in a config file, and of .mcp.json in the folder, once trusted); --no-mcp reads none; lastcall help mcp" },
  "no-mcp": { kept: true, goesWith: ["runs", "mcp-test"], help: { in: "mcp" } },
  agents: { value: "FILE", multiple: true, kept: true, isPath: true,
    help: "agents for the model to call, each a Markdown file; can be given more than once (default: those of agents/ beside your own config file, and of .lastcall/agents in the folder, once trusted); --no-agents reads none; lastcall help agents" },
  "no-agents": { kept: true, help: { in: "agents" } },
  "explore-model": { value: "NAME", kept: true,
    help: "another model of the same server for explore, the built-in agent that only reads (default: that of the run); --no-explore leaves it out" },
  "no-explore": { kept: true, help: { in: "explore-model" } },
  port: {
    page: { name: "server", heading: "The servers of lastcall serve, lastcall studio and lastcall mcp serve; times for the workers of lastcall work." },
    value: "PORT", read: "port", inFiles: false, goesWith: ["serve", "studio", "mcp-serve"],
    help: "the port of this machine; serve and studio take any that is free without it, and mcp serve standard input" },
  listen: { value: "ADDRESS", inFiles: false, goesWith: ["serve", "studio"],
    help: "with serve and studio: the address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1, which only this machine reaches)" },
  host: { value: "NAME", multiple: true, inFiles: false, goesWith: ["serve", "studio"],
    help: "with serve and studio: a name under which the server is reached from elsewhere; can be given more than once" },
  "read-only": { inFiles: false, goesWith: ["studio"], help: "with studio: shows the sessions, and takes no inputs" },
  open: { inFiles: false, goesWith: ["serve", "studio"], help: "with serve and studio: opens the page in the browser" },
  at: { value: "TIME", read: "moment", inFiles: false, goesWith: ["schedule"],
    help: "with schedule: gives the task at this time, such as 2026-12-31T06:00Z; beside --every, the first time (default: at once)" },
  every: { value: "TIME", read: "period", inFiles: false, goesWith: ["schedule"],
    help: "with schedule: gives the task again and again, for example every 30m, 24h or 7d, at whole multiples of that time in UTC" },

  template: {
    page: { name: "init", heading: "A new project." },
    value: "NAME", read: "template", inFiles: false, goesWith: ["init"],
    help: "with init: agent, desk, coding or service (default: a terminal asks, and elsewhere it is agent)" },
  install: { inFiles: false, goesWith: ["init"], help: "with init: installs the packages of the project, too" },

  model: {
    page: { name: "model", heading: "The model and its server." },
    value: "NAME", kept: true, goesWith: ["runs", "eval"],
    help: "the model (default: OPENAI_MODEL, else lastcall's own choice, or the first that a local server has)" },
  provider: { value: "NAME", read: "provider", kept: true, goesWith: ["runs", "eval"],
    help: "openai, anthropic, google or mistral: whose API the server speaks; all but openai need their package of the AI SDK beside lastcall (default: openai)" },
  "base-url": { value: "URL", kept: true, goesWith: ["runs", "eval"], help: "any OpenAI-compatible server (default: OPENAI_BASE_URL, else api.openai.com)" },
  "api-key-env": { value: "NAME", kept: true, goesWith: ["runs", "eval"],
    help: "the environment variable with the key for that server (default: OPENAI_API_KEY)" },
  forcing: { value: "HOW", read: "forcing", kept: true, goesWith: ["runs", "eval"],
    help: "required, auto or xml: how the model is made to call tools (default: ladder, which finds out)" },
  window: { value: "TOKENS", read: "count", kept: true,
    help: "how much the model takes at once: older messages are shortened as it fills (default: the size that a local server states, else once it is refused)" },

  until: {
    page: { name: "checks", heading: "Commands that decide whether the task is done." },
    value: "COMMAND", multiple: true, kept: true,
    help: "accepts a completion only if this passes (exit code 0); can be given more than once" },
  "until-every": { value: "COMMAND", multiple: true, kept: true,
    help: "the same, and also run after each iteration that changed something; once all pass, the run ends" },
  protect: { value: "PATTERN", multiple: true, kept: true,
    help: 'files that must stay as they are for that, for example "test/**"; can be given more than once' },
  "require-verified": { kept: true,
    help: "a completion that no check verified ends with exit code 6" },
  attempts: { value: "N", read: "count", kept: true, help: "how many claims may fail them before the run stops (default: 5)" },
  "on-edit": { value: '"PATTERN: COMMAND"', read: "edit command", multiple: true, kept: true,
    help: "runs this after a file was written, {file} being its path; the model reads what it prints" },
  rounds: { value: "N", read: "count", kept: true, inFiles: false, goesWith: ["run", "resume"],
    help: "works in at most N rounds until --until passes, each with a clean context: the task, the notes of the last round, the last failure of a check, the diff so far; lastcall help rounds" },
  "best-of": { value: "N", read: "count", kept: true, inFiles: false, goesWith: ["run", "resume"],
    help: "lets N runs work on the task side by side, in git worktrees or in copies of the folder, and keeps the best: it completed, and --until passes once more with the files of --protect as they were (default: all tests); then the smallest change" },
  by: { value: "COMMAND", kept: true, inFiles: false, goesWith: ["run", "resume"],
    help: "with --best-of: before the size of the change, the number in the last line that this prints in their folder, the higher the better; another exit code than 0 leaves a run out" },

  cap: { value: '"KIND: VALUE"', read: "cap", multiple: true, kept: true, addsUp: true,
    help: 'bounds what a run changes, commands included, and refuses a completion that breaks it: "files: 5", "lines: 200", "commands: 20", "only: src/** test/**", "forbid: console\\.log" (in new lines), "tests-follow: src/**"; can be given more than once' },
  "soft-cap": { value: '"KIND: VALUE"', read: "cap", multiple: true, kept: true, addsUp: true,
    help: "the same, and refuses nothing: the model and you are told at once" },

  hook: { value: '"MOMENT: COMMAND"', read: "hook", multiple: true, kept: true, addsUp: true,
    help: 'runs this before-call, after-call, at a claim, question, limit or end, for example "before-call run_command: ./gate.sh"; it reads JSON, and refuses a call or a claim by another exit code than 0; can be given more than once' },
  "hooks-outside": { kept: true, help: "runs the commands of --hook without the sandbox" },

  branch: {
    page: { name: "commits", heading: "Outputs of a task besides its files (docs/jobs-and-pull-requests.md). A commit is made once the task is completed and its checks hold. Nothing is pushed." },
    value: "NAME", kept: true, inFiles: false, goesWith: ["run", "resume"],
    help: "commits what the task changed, and nothing else, on this new branch, and switches to it; other changes stay as they are, staged or not" },
  commit: { kept: true, inFiles: false, goesWith: ["run", "resume"], help: "the same, on the branch that is checked out" },
  "pr-text": { value: "FILE", kept: true, inFiles: false, isPath: true, goesWith: ["run", "resume"],
    help: "with --branch or --commit: writes a title and a body to this file: what was done, the receipts of the checks, the files, what is not verified" },
  artifacts: { value: "FOLDER", kept: true, inFiles: false, isPath: true, goesWith: ["run", "resume"],
    help: "writes outcome.json, with the session, and trajectory.json (ATIF 1.7) to this folder, however the task ends" },

  tier: {
    page: { name: "rights", heading: "What the agent may do (docs/what-the-agent-may-do.md). In a sandbox, commands run without a question inside walls: no network, no changes outside of the folder, and none of git's data, no keys. If a command needs one of these, the need is asked about. Without a sandbox, what no rule decides is asked about. Without a terminal, what would be asked is refused." },
    value: "TIER", read: "tier", default: "workspace-write", kept: "read-only",
    help: "read-only, workspace-write or full-access: the most that there is" },
  allow: { value: "RULE", multiple: true, addsUp: true,
    help: '"run_command(npm test)" exactly this, "run_command(wc *)" any that begins so, "write(src/**)" these files' },
  deny: { value: "RULE", multiple: true, kept: true, addsUp: true,
    help: "the same, forbidden whatever else is said; both can be given more than once" },
  yes: { goesWith: ["runs", "init"],
    help: "does what nothing forbids without asking; rules, protected files and the sandbox hold; with init: takes the default" },
  ask: { kept: true, help: "asks about everything; an error without a terminal or --park" },
  "dry-run": { kept: true, inFiles: false, goesWith: ["runs", "eval", "undo", "redo"], help: "changes nothing; lists at the end what would have been changed and run" },
  "no-sandbox": { help: "runs commands on this machine as it is (default: in a sandbox, where bubblewrap is installed)" },
  network: { help: "lets commands in the sandbox use the network" },

  "max-iterations": {
    page: { name: "limits", heading: "Limits, as a number or none. At four fifths the model is told; at the end it has one last reply to say how far it came." },
    value: "N", read: "count or none", default: "200", kept: true,
    help: "replies of the model" },
  timeout: { value: "TIME", read: "time or none", default: "2h", kept: true, help: "90s, 10m or 2h; a plain number is seconds" },
  "max-tokens": { value: "N", read: "count or none", default: "20000000", kept: true,
    help: "tokens of all requests, in and out" },
  "max-cost": { value: "AMOUNT", read: "amount or none", default: "none", kept: true, goesWith: ["runs", "eval"],
    help: "what all requests may cost; needs --prices" },
  prices: { value: "FILE", kept: true, goesWith: ["runs", "eval"], isPath: true,
    help: `JSON, by the model's name, for a million tokens: {"m": {"input": 1, "cachedInput": 0.1, "output": 8}}` },

  "no-input": {
    page: { name: "output", heading: "Questions, and what is printed. The answer goes to standard output, progress to standard error." },
    goesWith: ["all"], help: "nobody is there: no questions, no approvals" },
  park: { kept: true,
    help: "if nobody is there: what would be asked waits for an approval instead of being refused, and the run ends with exit code 3; lastcall help resume" },
  json: { goesWith: ["runs", "mcp-test", "stats", "show", "verify", "undo", "redo", "eval", "docs"], help: "prints the whole outcome as JSON instead of the answer" },
  atif: { inFiles: false, goesWith: ["show"], help: "with show: prints the session as a trajectory in ATIF 1.7, the format of Harbor" },
  html: { value: "FILE", inFiles: false, goesWith: ["show"],
    help: "with show: writes the session to this file as one page for a browser, without secrets and without network; lastcall sessions import reads it" },
  quiet: { goesWith: ["all"], alongside: "verbose", help: "less or more on standard error" },
  verbose: { help: { in: "quiet" } },
  log: { value: "FILE", isPath: true, help: "appends all that happens to this file, one line of JSON for each event, secrets left out; - prints the lines as they come, instead of the answer" },

  against: {
    page: { name: "evals", heading: "Evaluations (docs/is-it-any-good.md), and recordings of runs (docs/recording-a-run.md)." },
    value: "REPORT", inFiles: false, goesWith: ["eval", "bisect"],
    help: "with bisect: the module of the other agent; with eval: compares with this report, and ends with exit code 2 if the agent got worse: a report.json, or a commit of git that has the file of --report" },
  suite: { value: "NAME", read: "suite", inFiles: false, goesWith: ["eval"],
    help: "with eval, in place of a file: truth, the tasks that ship, on which a model may claim what is not so; with the options of a model, --prices and --max-cost" },
  report: { value: "FILE", inFiles: false, goesWith: ["eval"],
    help: "with eval: writes the report to this file too, to be kept in git; --against looks there at a commit (default: the path of the evaluation with .report.json)" },
  trials: { value: "N", read: "count", inFiles: false, goesWith: ["eval"],
    help: "with eval: how often each task is tried with each variant and model (default: as the evaluation says)" },
  read: { inFiles: false, goesWith: ["replay"], alongside: "live",
    help: "with replay: calls that only read files run for real, or all calls and checks in a copy of the folder as it is now (default: none runs)" },
  live: { inFiles: false, goesWith: ["replay"], help: { in: "read" } },
  record: { value: "FILE", inFiles: false, isPath: true, goesWith: ["run", "resume", "chat", "review"],
    help: "keeps each request to the model and its response in this new file, keys left out; --record missing beside --replay FILE asks the model what the file lacks, and adds it" },
  replay: { value: "FILE", inFiles: false, isPath: true, goesWith: ["run", "resume", "chat", "review"],
    help: "answers from such a file instead of a model, without a key; names the first request that differs, and ends with exit code 1" },

  sessions: {
    page: { name: "sessions", heading: "Stored sessions, and settings from files." },
    value: "DIR", isPath: true, goesWith: ["all"], help: "where sessions are kept (default: lastcall in XDG_STATE_HOME or ~/.local/state)" },
  store: { value: "ADDRESS", goesWith: ["all"],
    help: "keeps sessions in Postgres, for many machines: postgres://user@host/database (default: LASTCALL_STORE, else files); needs npm install pg, and lastcall store migrate once" },
  "no-save": { goesWith: ["run", "review"], help: "keeps no session" },
  more: { inFiles: false, goesWith: ["resume"], help: "with resume: gives a completed session new words" },
  approve: { inFiles: false, goesWith: ["resume"], alongside: "refuse", help: "with resume: lets the call run that waits for an approval, or not; words after the id are the reason of a refusal" },
  refuse: { inFiles: false, goesWith: ["resume"], help: { in: "approve" } },
  digest: { value: "DIGEST", inFiles: false, goesWith: ["resume"],
    help: "with resume: the call that the answer is about; refused if another one waits (at least 8 characters of the digest)" },
  key: { value: "[NAME=]FILE", multiple: true, inFiles: false, goesWith: ["verify"],
    help: "with verify: a public key of the signatures, as PEM or JWK, with its name if there are several; can be given more than once" },
  write: { inFiles: false, goesWith: ["repair"], help: "with repair: repairs the session, and keeps a copy of the damaged one" },
  config: { value: "FILE", inFiles: false, goesWith: ["all"],
    help: "settings by the names of these options, as JSON or YAML (default: lastcall.config.yaml in the folder, once trusted, over ~/.config/lastcall/config.yaml); a relative path in such a file starts at its folder; --no-config reads none" },
  "no-config": { inFiles: false, goesWith: ["all"], help: { in: "config" } },
  help: { short: "h", inFiles: false, help: "shows the help; after a command, the page about it" },
  version: { inFiles: false, help: "shows the version" },
} as const;

type Table = typeof table;

/** The name of an option. */
export type Name = keyof Table;

/** Refuses a row with a property that `Row` does not have. */
type Checked = { readonly [N in Name]: keyof Table[N] extends keyof Row ? Row : never };

/** The rows in the order of the help. */
export const rows: Readonly<Record<Name, Row>> = table satisfies Checked;

/** The orders that take the option. */
export function takersOf(name: Name): readonly OrderName[] {
  const { goesWith = ["runs"] } = rows[name];
  return goesWith.flatMap((one) => (one === "runs" || one === "stored" || one === "all" ? groups[one] : [one]));
}

/** The orders that take the option, in words. */
export function takersInWords(name: Name): string {
  const takers = takersOf(name);
  if (groups.runs.every((order) => takers.includes(order))) return "a run of an agent";
  const words = takers.map((order) => orders[order]);
  return words.length === 1 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

/** The names of the options that a session may keep. */
export type KeptName = { [N in Name]: Table[N] extends { readonly kept: unknown } ? N : never }[Name];

type Word<R> = R extends { readonly value: string } ? string : boolean;
type Read<R> = R extends { readonly read: infer Reader extends keyof ValueTypes } ? ValueTypes[Reader] : Word<R>;
type Absent<R> = R extends { readonly default: string }
  ? never
  : R extends { readonly value: string }
    ? undefined
    : never;
type Camel<Text> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Text & string;

/** Options that were given, as the command line or a config file states them. */
export type Values = { [N in Name]?: Table[N] extends { readonly multiple: true } ? string[] : Word<Table[N]> };

/** The values of all options, read. An option that was not given has its default, else false, an empty list or undefined. */
export type OptionValues = {
  readonly [N in Name as Camel<N>]: Table[N] extends { readonly multiple: true }
    ? readonly Read<Table[N]>[]
    : Read<Table[N]> | Absent<Table[N]>;
};
