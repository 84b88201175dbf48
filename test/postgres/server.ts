// A real Postgres for tests, from the programs of the Debian package. It runs in a folder of its own and goes with the test file.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A server of Postgres on loopback, with one empty database. */
export interface PostgresServer {
  /** The address of the database, as `pg` takes it. */
  readonly url: string;
  readonly port: number;
  /** Stops the server at once, as a crash does, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of the programs of Postgres; undefined if it is not installed. */
function programs(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const onPath = (process.env["PATH"] ?? "").split(delimiter);
  return [...versions.map((version) => join(debian, version, "bin")), ...onPath].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

/** For the end of the name of a suite that needs Postgres. */
export const noPostgres: string = programs() === undefined ? " (left out: there is no Postgres)" : "";

/** Postgres refuses to run as root. */
const nobody = 65534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/**
 * Starts a server on a free port. `settings` are settings of postgresql.conf.
 * @throws Error if it does not start.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const bin = programs();
  if (bin === undefined) throw new Error("There is no Postgres.");
  const folder = mkdtempSync("/tmp/lastcall-pg-");
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };
  const made = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(bin, "initdb"), made, { ...user, env, cwd: folder, stdio: "pipe" });
  const port = await freePort();
  const chosen = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", ...settings };
  const options = Object.entries(chosen).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const begun = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...options], {
      ...user,
      env,
      cwd: folder,
      stdio: "ignore",
    });
    child = begun;
    await untilReady(url, begun);
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined) return;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill(signal);
    await ended;
  };
  await start();
  const removeFolder = (): void => {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once("exit", removeFolder);
  return {
    url,
    port,
    async restart() {
      // SIGQUIT is Postgres' own crash: the write-ahead log is read again at the start.
      await stop("SIGQUIT");
      await start();
    },
    async stop() {
      await stop("SIGINT");
      process.off("exit", removeFolder);
      removeFolder();
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; child.exitCode === null; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (thrown) {
      if (tries === 300) throw new Error("Postgres does not answer", { cause: thrown });
      await sleep(50);
    }
  }
  throw new Error(`Postgres ended with exit code ${String(child.exitCode)}`);
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
