// The folder of one run of an evaluation: its plan, its journal of lines, and its report.

import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { JournalLine } from "../trial/journal-lines.js";
import type { TrialRow } from "../trial/trial-row.js";
import type { ClaimTruths } from "../trial/trial-tools.js";

/** One line of the journal. */
type Line =
  | { readonly type: "claim"; readonly trial: string; readonly callId: string; readonly truth: "yes" | "no" | "void" }
  /** An attempt that was void, and is made again. */
  | { readonly type: "again"; readonly trial: string; readonly why: string }
  /** All controls have ended. `unmet`: the reasons for which tasks can't be tried, by their ids. */
  | { readonly type: "controls"; readonly unmet?: Readonly<Record<string, string>> }
  | { readonly type: "trial"; readonly row: TrialRow };

/** A run at work, or one to go on with. */
export interface RunFolder extends ClaimTruths {
  readonly path: string;
  /** True if the folder was there, so that the run goes on. */
  readonly isOld: boolean;
  /** The rows so far, by the trial's id. */
  readonly rows: ReadonlyMap<string, TrialRow>;
  /** True once the controls have ended. */
  readonly hasControls: boolean;
  /** The reason for which the control found that this machine can't try the task. */
  unmet(task: string): string | undefined;
  /** The attempts at this trial that were void. */
  voids(trial: string): number;
  /** Keeps the row of a trial that has ended, and its journal for people, if it has one. */
  keepTrial(row: TrialRow, journal: readonly JournalLine[] | undefined): Promise<void>;
  /** Reads the journal of a trial that has ended; undefined if it has none. */
  journalOf(trial: string): Promise<readonly JournalLine[] | undefined>;
  keepVoid(trial: string, why: string): Promise<void>;
  keepControls(unmet: Readonly<Record<string, string>>): Promise<void>;
  /** Writes a file whole, or not at all. */
  write(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** The file that says that a run has ended. */
const endFile = "report.json";

/**
 * Opens the run to go on with: the last one, if it has the same plan and no report. Otherwise begins a new one.
 * @throws LastcallError `store` if the folder can't be used.
 */
export async function openRun(folder: string, plan: string): Promise<RunFolder> {
  await mkdir(folder, { recursive: true });
  const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  const last = Math.max(0, ...numbers);
  const lastPath = join(folder, String(last));
  const isOld = last > 0 && !existsSync(join(lastPath, endFile)) && (await planIn(lastPath)) === plan;
  const path = isOld ? lastPath : join(folder, String(last + 1));
  await mkdir(path, { recursive: true });
  if (!isOld) await writeWhole(join(path, "eval.json"), `${JSON.stringify({ version: 1, plan })}\n`);
  const file = join(path, "trials.jsonl");
  const lines = isOld ? await readLines(file) : [];
  return folderAt(path, { isOld, lines, file: await open(file, "a") });
}

/** The path of the report of the last run that has ended; undefined if there is none. */
export async function lastReport(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return numbers
    .sort((a, b) => b - a)
    .map((number) => join(folder, String(number), endFile))
    .find((path) => existsSync(path));
}

async function planIn(path: string): Promise<unknown> {
  try {
    return (JSON.parse(await readFile(join(path, "eval.json"), "utf8")) as { readonly plan?: unknown }).plan;
  } catch {
    // A process was killed before it had written the plan, so nothing else is there.
    return undefined;
  }
}

/** The lines of the journal. A process may have been killed while it wrote the last line. */
async function readLines(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await writeWhole(file, whole);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const read: unknown = JSON.parse(line);
      if (!isPlainObject(read)) throw new LastcallError("store", `${file} has a line that is no record of a trial.`);
      return read as unknown as Line;
    });
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

function folderAt(
  path: string,
  { isOld, lines, file }: { readonly isOld: boolean; readonly lines: readonly Line[]; readonly file: FileHandle },
): RunFolder {
  const rows = new Map<string, TrialRow>();
  const truths = new Map<string, "yes" | "no" | "void">();
  const voids = new Map<string, number>();
  let controls: (Line & { readonly type: "controls" }) | undefined;
  const take = (line: Line): void => {
    if (line.type === "claim") truths.set(keyOf(line.trial, line.callId), line.truth);
    else if (line.type === "again") voids.set(line.trial, (voids.get(line.trial) ?? 0) + 1);
    else if (line.type === "trial") rows.set(line.row.id, line.row);
    else controls = line;
  };
  lines.forEach(take);
  let written = Promise.resolve();
  const append = (line: Line): Promise<void> => {
    written = written.then(async () => {
      await file.appendFile(`${JSON.stringify(line)}\n`);
      await file.datasync();
      take(line);
    });
    return written;
  };
  return {
    path,
    isOld,
    rows,
    get hasControls() {
      return controls !== undefined;
    },
    unmet: (task) => controls?.unmet?.[task],
    voids: (trial) => voids.get(trial) ?? 0,
    of: (trial, callId) => truths.get(keyOf(trial, callId)),
    keep: (trial, callId, truth) => append({ type: "claim", trial, callId, truth }),
    async keepTrial(row, journal) {
      // The row says that the trial has ended, so it comes last.
      if (journal !== undefined) {
        await mkdir(join(path, "journals"), { recursive: true });
        await writeWhole(journalFile(path, row.id), JSON.stringify(journal));
      }
      await append({ type: "trial", row });
    },
    async journalOf(trial) {
      const text = await readFile(journalFile(path, trial), "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as readonly JournalLine[]);
    },
    keepVoid: (trial, why) => append({ type: "again", trial, why }),
    keepControls: (unmet) => append({ type: "controls", unmet }),
    write: (name, text) => writeWhole(join(path, name), text),
    async close() {
      await written.catch(() => undefined);
      await file.close();
    },
  };
}

function journalFile(path: string, trial: string): string {
  return join(path, "journals", `${trial}.json`);
}

function keyOf(trial: string, callId: string): string {
  return `${trial}\n${callId}`;
}
