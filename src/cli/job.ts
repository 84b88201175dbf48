// Jobs: files that have a task and the options of its run, for runs that nobody watches.

import { resolve } from "node:path";
import { LastcallError } from "../core/index.js";
import { ReadOnce } from "./display/read-once.js";
import { parseSettings } from "./display/settings-text.js";
import { settingsOfFile } from "./args/config.js";
import { jobNames, type Words } from "./args/options.js";
import { joinOptions } from "./args/sources.js";

/**
 * The words of a command line, with the task and the options of a job. The command line wins over the job. The person who names the file
 * trusts it.
 * @throws LastcallError `configuration` that says what is wrong with the file.
 */
export async function jobWords(words: Words, file: string, files: ReadOnce = new ReadOnce()): Promise<Words> {
  const path = resolve(file);
  const found = await files.settings(path);
  if (found === undefined) throw new LastcallError("configuration", `lastcall run ${file}: there is no such file.`);
  const { task, ...read } = parseSettings(found, "task: Fix the failing test");
  if (typeof task !== "string" || task.trim() === "")
    throw new LastcallError("configuration", `${path} needs a task, such as task: Fix the failing test.`);
  const values = joinOptions(words.values, { config: settingsOfFile(found, read, jobNames) });
  return { positionals: [], isTask: true, job: { path, task }, values };
}
