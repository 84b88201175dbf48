// The filter of system calls, in the real kernel: a command finds no keyring, and everything else works.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import { callFilter } from "../../../src/shell/places/call-filter.js";
import { has, without } from "../../programs.js";
import { finding, why } from "../sandboxes.js";

/** Runs a command in bubblewrap with the filter, or without. `before` runs outside, in the same session of keys. */
async function run(command: string, filter: Buffer | undefined, before = "true"): Promise<string> {
  const seccomp = filter === undefined ? "" : "--seccomp 3";
  const session = has("keyctl") ? ["keyctl", "session", "-", "sh", "-c"] : ["sh", "-c"];
  const line = `${before} >/dev/null && exec bwrap --bind / / --dev /dev --proc /proc ${seccomp} sh -c "$1" 2>&1`;
  const [program, ...words] = [...session, line, "sh", command];
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  const chunks: Uint8Array[] = [];
  child.stdout?.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  (child.stdio[3] as Writable).end(filter);
  await once(child, "close");
  return Buffer.concat(chunks).toString();
}

test.skipIf(!finding.ok || !has("keyctl"))(
  `no key of the session can be read, added or searched${why}${without("keyctl")}`,
  async () => {
    const add = "keyctl add user lastcall-test PLANTED @s";
    const read = "keyctl print $(keyctl search @s user lastcall-test)";
    expect(await run(read, undefined, add)).toBe("PLANTED\n");
    const output = await run(`${read}; keyctl add user b x @s; keyctl request2 user a b`, callFilter(), add);
    expect(output).not.toContain("PLANTED");
    expect(output.match(/not implemented/g)?.length).toBe(3);
  },
);

test.skipIf(!finding.ok)(`programs run as usual behind it${why}`, async () => {
  const node = `'${process.execPath}' -e 'require("http").createServer().listen(0, function () { console.log("listens"); this.close() })'`;
  expect(await run(`echo a | cat; sleep 0.01; ${node}`, callFilter())).toBe("a\nlistens\n");
});

test("an unknown machine has no filter", () => {
  expect(callFilter("riscv64")).toBe(undefined);
  expect(callFilter("arm64")?.length).toBe(callFilter("x64")?.length);
});
