// A Postgres for this example: the one at DATABASE_URL, or else one in a temporary folder, from the programs of this machine.

import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** The port of a Postgres that this example starts. */
const port = 55432;
/** Postgres refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The address of the database, for every program of this example. */
export const url = process.env["DATABASE_URL"] ?? `postgres://postgres@127.0.0.1:${port}/postgres`;

/** Starts Postgres unless there is one at DATABASE_URL. Returns a function that stops it. */
export async function startPostgres() {
  if (process.env["DATABASE_URL"] !== undefined) return () => undefined;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [];
  const programs = [...versions, ...(process.env["PATH"] ?? "").split(delimiter)];
  const bin = programs.find((place) => existsSync(join(place, "initdb")));
  if (bin === undefined)
    throw new Error("There is no Postgres here: apt-get install postgresql, or set DATABASE_URL to one that runs.");
  const folder = mkdtempSync(join(tmpdir(), "lastcall-postgres-"));
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
  const data = join(folder, "data");
  const options = { ...nobody, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"], options);
  const only = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  const server = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...only], {
    ...options,
    stdio: "ignore",
  });
  await untilReady(server);
  return async () => {
    server.kill("SIGINT");
    await new Promise((resolve) => server.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  };
}

async function untilReady(server) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (server.exitCode !== null) throw new Error(`Postgres ended at once. Is the port ${port} taken?`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch {
      await wait(50);
    }
  }
  throw new Error("Postgres does not answer.");
}
