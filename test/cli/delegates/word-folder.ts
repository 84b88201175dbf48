// A folder with a file to find, an agent in a Markdown file, and a person who trusts what came with the folder.

import { join } from "node:path";
import { readConfig } from "../../../src/cli/args/config.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";

export const reviewer =
  "---\ndescription: Reviews a change.\ntools: [read_file, write_file]\n---\nYou review with care.\n";

/** A folder with a file to find. */
export async function wordFolder(): Promise<ModuleFolder> {
  const folder = await moduleFolder();
  await folder.put("a.txt", "the word\n");
  return folder;
}

/** Says yes to the files of the folder, as a person at the question does. Returns the questions. */
export async function trust({ path }: ModuleFolder): Promise<readonly string[]> {
  const questions: string[] = [];
  await readConfig({
    workdir: path,
    named: undefined,
    env: { XDG_CONFIG_HOME: join(path, "home") },
    say: () => undefined,
    confirm: (question) => {
      questions.push(question);
      return Promise.resolve(true);
    },
  });
  return questions;
}
