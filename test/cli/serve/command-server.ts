// Servers of the built command for tests: lastcall serve and lastcall studio as processes, over a real provider and real files.

import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { type Api, ServerApi } from "../../../src/studio/data/server-api.js";
import { start, type Started } from "../command.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";

/** A reply that ends a run. */
export const done = [call("task_completion", { result: "Painted." })];

/** A folder with sessions, and a provider with a script. */
export interface Place extends AsyncDisposable {
  readonly folder: ModuleFolder;
  readonly provider: Awaited<ReturnType<typeof scriptedProvider>>;
  /** The options of a task here. */
  readonly options: readonly string[];
  /** The options of a task here but for its sessions. */
  readonly work: readonly string[];
  readonly sessions: readonly string[];
}

/** Makes the folder and the provider. */
export async function placeFor(script: Script): Promise<Place> {
  const folder = await moduleFolder();
  const provider = await scriptedProvider(script);
  const sessions = ["--sessions", join(folder.path, "sessions")];
  const work = ["--base-url", provider.url, "--model", "m", "--no-sandbox", "--workdir", folder.path];
  return {
    ...{ folder, provider, options: [...work, ...sessions], work, sessions },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A server of the command that is up. */
export interface Up extends Started {
  readonly api: Api;
  readonly url: string;
  readonly token: string;
}

/** Starts `lastcall serve` or `lastcall studio`, and waits for its address. It is killed at the end of the test. */
export async function up(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<Up> {
  const started = start(args, env, program);
  onTestFinished(() => {
    started.child.kill("SIGKILL");
  });
  let stderr = "";
  started.child.stderr?.on("data", (text: string) => (stderr += text));
  await Promise.race([
    started.seen("Studio: "),
    started.ended.then((ended) => {
      throw new Error(ended.stderr);
    }),
  ]);
  const [, url = "", token = ""] = /Studio: (\S+)studio\/#token=(\S+)/.exec(stderr) ?? [];
  return { ...started, url, token, api: new ServerApi(url, env["LASTCALL_SERVER_TOKEN"] ?? token, fetch) };
}

/** Ends a server. Returns its exit code. */
export async function down({ child, ended }: Up, signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
  child.kill(signal);
  return (await ended).code;
}

/** Waits for a status of a session. */
export async function untilStatus(api: Api, id: string, status: string): Promise<void> {
  await expect.poll(async () => (await api.session(id)).status, { timeout: 20_000 }).toBe(status);
}
