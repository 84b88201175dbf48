// A folder with modules for the command, in which `lastcall` and `zod` are installed, and the built command run in it.

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { scriptedProvider, type Script } from "../../../src/testing/index.js";
import { run, runHere, temporary, type Ended } from "../command.js";
import "../../dist.js";

const root = resolve(import.meta.dirname, "../../..");

/** The end of the command, with the number of requests and the body of the last one. */
export interface EndedOn extends Ended {
  readonly requests: number;
  readonly body: string;
  /** The bodies of all requests. */
  readonly bodies: readonly string[];
}

export interface ModuleFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file below the folder. Returns its path. */
  put(name: string, text: string): Promise<string>;
  /** Runs the sources of the command in the folder, with a scripted model. Words of standard input are piped in. */
  on(script: Script, args: readonly string[], piped?: string): Promise<EndedOn>;
  /** Runs the built command as a process: Node itself loads the modules. */
  built(script: Script, args: readonly string[]): Promise<EndedOn>;
}

/** The imports that most modules begin with. */
export const imports =
  'import { tool } from "lastcall";\nimport { taskCompletion } from "lastcall/tools";\nimport { z } from "zod";\n';

/** A tool without effect, as source. */
export const shout = `tool({ name: "shout", description: "Shouts", input: z.object({ words: z.string() }), effect: "none",
  run: ({ words }) => words.toUpperCase() + "!" })`;

export async function moduleFolder(): Promise<ModuleFolder> {
  const folder = await temporary();
  await mkdir(join(folder.path, "node_modules"));
  await symlink(root, join(folder.path, "node_modules/lastcall"));
  await symlink(join(root, "node_modules/zod"), join(folder.path, "node_modules/zod"));
  const on = async (script: Script, runIt: (args: readonly string[]) => Promise<Ended>, args: readonly string[]) => {
    await using provider = await scriptedProvider(script);
    const place = ["--workdir", folder.path, "--sessions", join(folder.path, "sessions")];
    const ended = await runIt([...args, "--base-url", provider.url, "--model", "m", ...place]);
    const bodies = provider.requests.map(({ body }) => JSON.stringify(body));
    return { ...ended, requests: bodies.length, bodies, body: bodies.at(-1) ?? "" };
  };
  const env = { XDG_CONFIG_HOME: join(folder.path, "home") };
  return {
    path: folder.path,
    async put(name, text) {
      const path = join(folder.path, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return path;
    },
    on: (script, args, piped) => on(script, (all) => runHere(all, env, piped), args),
    built: (script, args) => on(script, (all) => run(all, env), args),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
