// A real server of Restate for tests, from the folder into which scripts/install-programs.mjs puts it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../postgres/server.js";

/** The server itself: the wrapper beside it would leave it alive. */
const program = join(
  import.meta.dirname,
  "../.cache/restate/node_modules/@restatedev",
  `restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);

/** For the end of the name of a suite that needs Restate. */
export const noRestate: string = existsSync(program) ? "" : " (left out: there is no restate-server)";

/** A server on loopback. */
export interface RestateServer {
  readonly ingress: string;
  readonly admin: string;
  /** Kills the server. */
  kill(): Promise<void>;
  /** Starts it again, over the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on free ports, with data in a folder of its own. `settings` are variables of its environment. */
export async function startRestate(settings: Readonly<Record<string, string>> = {}): Promise<RestateServer> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-restate-"));
  const [node, admin, ingress] = [String(await freePort()), String(await freePort()), String(await freePort())];
  const env = {
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: "test",
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_ADVERTISED_HOST: "127.0.0.1",
    RESTATE_BIND_PORT: node,
    RESTATE_ADMIN__BIND_PORT: admin,
    RESTATE_INGRESS__BIND_PORT: ingress,
    RESTATE_DEFAULT_NUM_PARTITIONS: "4",
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MB",
    RESTATE_LOG_FILTER: "error",
    ...settings,
  };
  let child: ChildProcess;
  const place = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  const start = async (): Promise<void> => {
    child = spawn(program, ["--no-logo"], { env, stdio: ["ignore", "ignore", "ignore"] });
    const isUp = async (url: string): Promise<boolean> =>
      (await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined))?.ok ?? false;
    while (!((await isUp(`${place.ingress}/restate/health`)) && (await isUp(`${place.admin}/health`)))) {
      if (child.exitCode !== null) throw new Error(`Restate ended with ${String(child.exitCode)}.`);
      await sleep(50);
    }
  };
  const kill = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  await start();
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await kill();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...place, start, kill, stop };
}
