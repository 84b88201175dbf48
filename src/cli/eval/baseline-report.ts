// The report that an evaluation is compared with: a file, or a file at a commit of git.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { readReport, type Report } from "../../evals/index.js";
import { visible } from "../display/visible.js";

/**
 * Reads the report of `--against`: a file, `REF:PATH` as git names a file at a commit, or a commit alone. At a commit alone, the report has
 * the path `usual`.
 * @throws LastcallError `configuration` if there is no such report.
 */
export async function baselineReport(against: string, usual: string): Promise<Report> {
  if (against === "") throw new LastcallError("configuration", "--against is empty: name a file or a commit of git.");
  const file = await readFile(against, "utf8").catch((thrown: unknown) => {
    // A file that is there and can't be read is no commit.
    if (/^E(?:NOENT|NOTDIR)$/.test(codeOf(thrown))) return undefined;
    const why = `${visible(against)} can't be read: ${explain(thrown)}. Give the report.json of a run.`;
    throw new LastcallError("configuration", `--against ${why}`, { cause: thrown });
  });
  if (file !== undefined) return readReport(file, visible(against));
  const isPath = against.includes(":");
  const path = resolve(usual);
  const place = isPath ? against : `${against}:./${path.slice(dirname(path).length + 1)}`;
  try {
    if (against.startsWith("-")) throw new Error("it begins with a hyphen");
    const { stdout } = await promisify(execFile)("git", ["show", place], {
      cwd: isPath ? process.cwd() : dirname(path),
      maxBuffer: 256 * 1024 * 1024,
    });
    return readReport(stdout, visible(place));
  } catch (thrown) {
    if (thrown instanceof LastcallError) throw thrown;
    const said = explain(thrown).replace(/^Command failed:.*\n/, "");
    const message = `--against ${visible(against)} is neither a file nor a commit of git that has ${visible(place)}: ${visible(said.trim())}. lastcall eval FILE --report FILE writes one.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

function codeOf(thrown: unknown): string {
  return String((thrown as Partial<NodeJS.ErrnoException>).code);
}
