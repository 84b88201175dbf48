// Flushes as the system sees them: the system calls of a process that appends to each store.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { without } from "../../programs.js";
import { hasSqlite, temporaryFolder } from "../store-places.js";
import { built } from "../../dist.js";

const entry = JSON.stringify(built("memory"));
const noTracer = without("strace");

/** The system calls of a process that takes a lock, says "begin", and does this with it. */
async function callsOf(store: string, work: string): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const program = `
    import { writeSync } from "node:fs";
    import { fileStore, sqliteStore } from ${entry};
    const lock = await ${store}(${JSON.stringify(join(folder.path, "sessions"))}).lock("a", { id: "h", host: "elsewhere", pid: 1 });
    await lock.append(["header"], true);
    writeSync(1, "begin");
    ${work}
    writeSync(1, "end");`;
  const traced = ["-f", "-qq", "-e", "trace=fsync,fdatasync,write,pwrite64,writev,pwritev"];
  const node = [process.execPath, "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync("strace", [...traced, ...node], { encoding: "utf8", maxBuffer: 100_000_000 });
  expect(stdout).toBe("beginend");
  const calls = stderr.split("\n").filter((line) => !line.includes("resumed>"));
  const [begin, end] = ['"begin"', '"end"'].map((word) => calls.findIndex((line) => line.includes(word)));
  return calls.slice((begin ?? 0) + 1, end);
}

const flushes = (calls: readonly string[]): number =>
  calls.filter((call) => /\b(?:fsync|fdatasync)\(/.test(call)).length;

describe.each(hasSqlite ? ["fileStore", "sqliteStore"] : ["fileStore"])(`%s${noTracer}`, (store) => {
  test.skipIf(noTracer)("flushes with the appends that ask for it, and with no others", async () => {
    const ten = (flush: boolean): string =>
      `for (let n = 0; n < 10; n += 1) await lock.append(["x"], ${String(flush)});`;
    expect(flushes(await callsOf(store, ten(false)))).toBe(0);
    // A new journal also flushes the folders that name it, once.
    expect(flushes(await callsOf(store, ten(true)))).toBe(10);
    const calls = await callsOf(store, `${ten(false)} await lock.append(["last"], true);`);
    expect(flushes(calls)).toBe(1);
    // Threads wake each other with writes of eight bytes.
    const isWrite = (call: string): boolean =>
      call.includes("write") && !call.includes(", 8)") && !call.includes("(1,");
    expect(calls.findIndex((call) => call.includes("sync("))).toBeGreaterThan(calls.findLastIndex(isWrite));
  });
});

test.skipIf(noTracer)(`the lines of one append to a file are one write${noTracer}`, async () => {
  const calls = await callsOf("fileStore", 'await lock.append(["one", "two", "three"], false);');
  expect(calls.filter((call) => call.includes('"one\\ntwo\\nthree\\n"'))).toHaveLength(1);
});
