// The modules of a stored session: their digests are kept with it, so that changed code does not run unseen when it is resumed.

import { resolve } from "node:path";
import { LastcallError, type JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { Settings } from "../args/args.js";
import { digestOfFiles, moduleFiles } from "../args/module-files.js";
import type { KeptOptions } from "../args/options.js";
import { confirm } from "../person/person.js";
import { personIn, type Surroundings } from "../person/surface.js";
import { visible } from "../words/visible.js";

/** The modules of the settings for a new session: absolute paths, and the digests of the files. Empty without modules. */
export async function modulesToKeep({ agent, tools }: Pick<Settings, "agent" | "tools">): Promise<JsonObject> {
  const paths = [agent ?? [], tools].flat().map((path) => resolve(path));
  if (paths.length === 0) return {};
  return {
    ...(agent !== undefined && { agent: resolve(agent) }),
    ...(tools.length > 0 && { tools: tools.map((path) => resolve(path)) }),
    digests: Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await digestOf(path)] as const))),
  };
}

/**
 * Checks that the modules of the session are as they were when it began, unless the command line names others. A person may accept a
 * change.
 * @throws LastcallError `configuration` if a module is gone, or has changed and nobody accepted it.
 */
export async function expectSameModules(
  { kept, digests }: { readonly kept: KeptOptions; readonly digests: unknown },
  given: Settings,
  around: Surroundings,
): Promise<void> {
  const wanted = [
    ...(given.agent === undefined && kept.agent !== undefined ? [["--agent", kept.agent] as const] : []),
    ...(given.tools.length === 0 ? (kept.tools ?? []).map((path) => ["--tools", path] as const) : []),
  ];
  const person = given.noInput ? undefined : personIn(around);
  for (const [option, path] of wanted) {
    const remedy = `The session has it from ${option}. To go on with this file or another one: ${option} FILE.`;
    const now = await digestOf(path).catch((thrown: unknown) => {
      throw refusal(`${thrown instanceof Error ? thrown.message : path} ${remedy}`);
    });
    if (isPlainObject(digests) && digests[path] === now) continue;
    const change = `${visible(path)} is not as it was when this session began`;
    const question = `${change}, and it runs with all your rights. Use it as it is now?`;
    if (person === undefined || !(await confirm(person, question, around.signal)))
      throw refusal(`${change}. ${remedy}`);
  }
}

async function digestOf(path: string): Promise<string> {
  return digestOfFiles(await moduleFiles(path));
}

function refusal(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
