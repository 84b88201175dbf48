// Caps: checks that bound what a run changes, over what is recorded of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LastcallError, type Check, type CheckVerdict } from "../../core/index.js";
import { checkOptions, commonLines, explain, listOf, type OptionKinds } from "../../core/internal.js";
import { codeOf, matcher, testFiles } from "../../files/index.js";
import type { Change } from "./change-file.js";
import type { ChangeCaps } from "./changes-options.js";
import { isNoFile, runChanges, type ChangedPath, type RunChanges } from "./own-changes.js";
import type { Recorder } from "./recorder.js";
import type { Entry } from "./tree/workspace-entry.js";

const capKinds = {
  files: "number",
  lines: "number",
  commands: "number",
  only: listOf("text"),
  forbid: listOf("text"),
  testsFollow: listOf("text"),
  advisory: "flag",
} satisfies OptionKinds<ChangeCaps>;

/** A cap: its name, and whether a run keeps it. */
interface Cap {
  readonly name: string;
  /** False: it needs to know what commands were run, and not what they changed. Default true. */
  readonly needsChanges?: false;
  judge(changes: RunChanges): Pick<CheckVerdict, "passed" | "output">;
}

/** The checks for the caps, one for each. */
export function capChecks(recorder: Recorder, options: ChangeCaps): readonly Check[] {
  checkOptions("caps", options, capKinds);
  const { advisory = false } = options;
  const caps = capsOf(options, new Contents(recorder));
  recorder.countsCommands ||= options.commands !== undefined;
  if (caps.length === 0) throw wrong("caps need at least one cap, for example { files: 5 }");
  return caps.map(({ name: plain, needsChanges = true, judge }) => {
    const name = advisory ? `${plain} (advice)` : plain;
    recorder.leaveOut(name);
    return {
      name,
      every: "iteration",
      kind: advisory ? "advice" : "rule",
      async verify({ key }) {
        const changes = await runChanges(recorder, key);
        if (needsChanges && changes.unseen > 0) return { passed: false, output: unseen };
        const { passed, output } = judge(changes);
        return { passed, output: `${output}${needsChanges ? aside(changes) : ""}` };
      },
    };
  });
}

const unseen = "What a command changed is not known, because the folder has more files than are looked at.";

function aside({ shared }: RunChanges): string {
  return shared.length === 0
    ? ""
    : ` Not counted, because a command of another session ran at the same time: ${listed(shared)}.`;
}

function capsOf({ files, lines, commands, only, forbid, testsFollow }: ChangeCaps, contents: Contents): readonly Cap[] {
  return [
    ...(files === undefined ? [] : [filesCap(whole("files", files))]),
    ...(lines === undefined ? [] : [linesCap(whole("lines", lines), contents)]),
    ...(commands === undefined ? [] : [commandsCap(whole("commands", commands))]),
    ...(only === undefined ? [] : [onlyCap(filled("only", only))]),
    ...(forbid === undefined ? [] : [forbidCap(filled("forbid", forbid), contents)]),
    ...(testsFollow === undefined ? [] : [testsCap(filled("testsFollow", testsFollow))]),
  ];
}

function filesCap(most: number): Cap {
  return {
    name: `at most ${counted(most, "file")}`,
    judge({ paths }) {
      const files = withoutOrigins(paths.filter(isFile));
      const passed = files.length <= most;
      const said = `${counted(files.length, "file")} changed, and at most ${String(most)} may`;
      return { passed, output: passed ? `${said}.` : `${said}: ${listed(files.map(({ path }) => path))}.` };
    },
  };
}

function linesCap(most: number, contents: Contents): Cap {
  return {
    name: `at most ${counted(most, "line")}`,
    judge({ paths }) {
      const origins = new Set(paths.flatMap(({ movedFrom = [] }) => movedFrom));
      const sizes = paths
        .filter(({ path, movedFrom }) => movedFrom === undefined && !origins.has(path))
        .map(({ path, pieces }) => {
          const sizesOf = pieces.map((piece) => contents.linesOf(piece)).filter(({ isBinary }) => !isBinary);
          return { path, size: sizesOf.reduce((sum, { added, gone }) => sum + added.length + gone.length, 0) };
        })
        .toSorted((a, b) => b.size - a.size);
      const total = sizes.reduce((sum, { size }) => sum + size, 0);
      const passed = total <= most;
      const said = `${counted(total, "line")} ${total === 1 ? "was" : "were"} added and removed, and at most ${String(most)} may be`;
      const largest = listed(sizes.map(({ path, size }) => `${path} (${String(size)})`));
      return { passed, output: passed ? `${said}.` : `${said}: ${largest}.` };
    },
  };
}

function commandsCap(most: number): Cap {
  return {
    name: `at most ${counted(most, "command")}`,
    needsChanges: false,
    judge({ commands }) {
      const passed = commands <= most;
      const said = `${counted(commands, "command")} ${commands === 1 ? "was" : "were"} run, and at most ${String(most)} may be.`;
      return {
        passed,
        output: passed ? said : `${said} This can't be taken back: run no more, and say how far you came.`,
      };
    },
  };
}

function onlyCap(patterns: readonly string[]): Cap {
  const matches = matcher(patterns);
  return {
    name: `only ${patterns.join(", ")}`,
    judge({ paths }) {
      const within = paths.filter(({ path }) => matches(path)).map(({ path }) => path);
      // A folder is made on the way to a file that may be there.
      const isOnTheWay = ({ path, before, after }: ChangedPath): boolean =>
        isNoFile(before) &&
        isNoFile(after) &&
        before.kind !== after.kind &&
        within.some((one) => one.startsWith(`${path}/`));
      const outside = paths.filter((change) => !matches(change.path) && !isOnTheWay(change)).map(({ path }) => path);
      const passed = outside.length === 0;
      const said = `Only ${patterns.join(", ")} may change`;
      return {
        passed,
        output: passed ? `${said}, and nothing else did.` : `${said}. Put back as it was: ${listed(outside)}.`,
      };
    },
  };
}

function forbidCap(patterns: readonly string[], contents: Contents): Cap {
  const forbidden = patterns.map(expression);
  return {
    name: `no new ${patterns.join(" or ")}`,
    judge({ paths }) {
      const pieces = paths.flatMap((change) => change.pieces.map((piece) => contents.linesOf(piece)));
      const balance = new Map<string, number>();
      const add = (text: string, by: number): unknown => balance.set(text, (balance.get(text) ?? 0) + by);
      for (const { added, gone } of pieces) {
        for (const { text } of added) add(text, 1);
        for (const text of gone) add(text, -1);
      }
      const found = pieces.flatMap(({ path, isSecret, added }) =>
        added
          .filter(({ text }) => (balance.get(text) ?? 0) > 0 && forbidden.some((one) => one.test(text)))
          .map(({ number, text }) => `${path}:${String(number)}${isSecret ? "" : `: ${text.trim().slice(0, 120)}`}`),
      );
      const passed = found.length === 0;
      return {
        passed,
        output: passed ? "No new line matches." : `New lines that may not be there:\n${listed(found, "\n")}`,
      };
    },
  };
}

function testsCap(sources: readonly string[]): Cap {
  const [isSource, isTest] = [matcher(sources), matcher(testFiles)];
  return {
    name: `tests follow ${sources.join(", ")}`,
    judge({ paths }) {
      const made = paths.filter(({ after, movedFrom }) => !isNoFile(after) && movedFrom === undefined);
      const source = made.find(({ path }) => isSource(path) && !isTest(path));
      const passed = source === undefined || made.some(({ path }) => isTest(path));
      return {
        passed,
        output: passed
          ? "No source has changed without a test."
          : `${source.path} has changed, and no test has. Change a test that shows it, or add one.`,
      };
    },
  };
}

function isFile({ before, after }: ChangedPath): boolean {
  return !isNoFile(before) || !isNoFile(after) || before.kind === after.kind;
}

/** Without the paths that files were moved from. */
function withoutOrigins(paths: readonly ChangedPath[]): readonly ChangedPath[] {
  const origins = new Set(paths.flatMap(({ movedFrom = [] }) => movedFrom));
  return paths.filter(({ path }) => !origins.has(path));
}

/** The lines that a change adds and removes. */
interface LineChange {
  readonly path: string;
  readonly isBinary: boolean;
  /** True if the content may hold secrets, so that nothing of it is told. */
  readonly isSecret: boolean;
  readonly added: readonly { readonly number: number; readonly text: string }[];
  readonly gone: readonly string[];
}

/** The contents that changes have, as lines. */
class Contents {
  readonly #recorder: Recorder;
  /** The changes whose contents are kept, so that they stay the same. */
  readonly #known = new Map<string, Omit<LineChange, "path">>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  linesOf({ path, before, after }: Change): LineChange {
    const key = JSON.stringify([before, after]);
    const known = this.#known.get(key) ?? this.#read(path, before, after);
    if (isKept(before) && isKept(after)) this.#known.set(key, known);
    return { ...known, path };
  }

  #read(path: string, before: Entry, after: Entry): Omit<LineChange, "path"> {
    const [then, now] = [this.#bytesOf(before) ?? Buffer.alloc(0), this.#bytesOf(after) ?? this.#bytesNow(path)];
    const [old, fresh] = [split(then), split(now)];
    const stays = commonLines(old, fresh);
    const common = new Set(stays);
    return {
      isBinary: then.includes(0) || now.includes(0),
      isSecret: !isKept(before) || !isKept(after),
      added: fresh.flatMap((text, index) => (common.has(index) ? [] : [{ number: index + 1, text }])),
      gone: old.filter((_, index) => stays[index] === -1),
    };
  }

  /** The bytes of an entry, none if it is no file; undefined if they are not kept. */
  #bytesOf(entry: Entry): Buffer | undefined {
    if (entry.kind !== "file") return Buffer.alloc(0);
    return entry.digest === undefined ? undefined : this.#recorder.packs.get(entry.digest);
  }

  /** The bytes of a file whose content is not kept. All of its lines count as new. */
  #bytesNow(path: string): Buffer {
    try {
      return readFileSync(join(this.#recorder.root, path));
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return Buffer.alloc(0);
      throw new Error(`the content of ${path} was not kept, and can't be read: ${explain(thrown)}`, { cause: thrown });
    }
  }
}

function isKept(entry: Entry): boolean {
  return entry.kind !== "file" || entry.digest !== undefined;
}

function split(bytes: Buffer): readonly string[] {
  const lines = bytes.toString().split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function expression(pattern: string): RegExp {
  for (const flags of ["u", ""]) {
    try {
      if (pattern !== "") return new RegExp(pattern, flags);
    } catch (thrown) {
      if (flags === "") throw wrong(`forbid: ${JSON.stringify(pattern)} is no regular expression (${explain(thrown)})`);
    }
  }
  throw wrong("forbid: an empty pattern matches every line");
}

function whole(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(`${name} is ${String(value)}, and has to be a whole number from 0`);
}

function filled(name: string, patterns: readonly string[]): readonly string[] {
  if (patterns.length > 0) return patterns;
  throw wrong(`${name} is an empty list: name a pattern, or leave it out`);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", `${message}.`);
}

/** The paths that are told. */
const mostListed = 20;

function listed(items: readonly string[], between = ", "): string {
  const more = items.length - mostListed;
  return `${items.slice(0, mostListed).join(between)}${more > 0 ? `${between}and ${String(more)} more` : ""}`;
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? "" : "s"}`;
}
