// run_command with much output: the part that is kept, and the cost in time and memory.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../src/tools/index.js";
import { call, makeFolder, start } from "./fixture.js";

/** The text with long runs of one character replaced by their length. */
function folded(text: string): string {
  return text.replace(/(.)\1{9,}/gu, (run, character: string) => `<${String(run.length)} ${character}>`);
}

describe("much output", () => {
  test("of 50 MB is read quickly, and both ends of it are kept", async () => {
    const root = await makeFolder();
    const began = performance.now();
    const command = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last";
    const text = await call(runCommand({ root }), { command });
    expect(performance.now() - began).toBeLessThan(5000);
    expect(text.length).toBeLessThan(33_000);
    expect(folded(text)).toBe("exit code 0\nfirst\n<16378 x>\n[... 49967244 bytes left out ...]\n<16378 x>\nlast\n");
  });

  test("of 100 MB takes no more memory than what is kept of it", async () => {
    const root = await makeFolder();
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const used = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = used();
    const running = start(runCommand({ root }), { command: "head -c 100000000 /dev/zero | tr '\\0' x" });
    let most = 0;
    let seen = 0;
    let next = await running.next();
    for (let step = 1; next.done !== true; next = await running.next()) {
      seen += String(next.value).length;
      if (seen < step * 20_000_000) continue;
      step += 1;
      most = Math.max(most, used() - before);
    }
    expect(seen).toBe(100_000_000);
    expect(most).toBeLessThan(40_000_000);
  });

  test("on the error stream is bounded as well", async () => {
    const root = await makeFolder();
    const text = await call(runCommand({ root }), { command: "head -c 5000000 /dev/zero | tr '\\0' e >&2; exit 4" });
    expect(folded(text)).toBe("exit code 4\n<16384 e>\n[... 4967232 bytes left out ...]\n<16384 e>");
  });

  test("is cut between characters", async () => {
    const root = await makeFolder();
    const command = "printf x; yes ü | head -n 40000 | tr -d '\\n'; printf x";
    const text = await call(runCommand({ root }), { command });
    expect(folded(text)).toBe("exit code 0\nx<8191 ü>\n[... 47236 bytes left out ...]\n<8191 ü>x");
  });

  test("just within the bounds is kept whole", async () => {
    const root = await makeFolder();
    const text = await call(runCommand({ root }), { command: "head -c 32768 /dev/zero | tr '\\0' x" });
    expect(folded(text)).toBe("exit code 0\n<32768 x>");
  });

  test("does not wait for a watcher that is slow: what it missed is counted", async () => {
    const root = await makeFolder();
    const command = "echo go; sleep 0.05; head -c 3000000 /dev/zero | tr '\\0' x; touch done";
    const running = start(runCommand({ root }), { command });
    expect(await running.next()).toEqual({ done: false, value: "go\n" });
    while (!existsSync(join(root, "done"))) await sleep(10);
    await sleep(20);
    let seen = "";
    for (let next = await running.next(); next.done !== true; next = await running.next()) seen += String(next.value);
    expect(seen.length).toBeLessThan(300_000);
    expect(seen).toMatch(/\[\.\.\. \d+ characters not shown \.\.\.\]\n$/);
  });

  test("without a newline, or of random bytes, takes neither long nor much memory", async () => {
    const root = await makeFolder();
    const commands = ["head -c 100000000 /dev/zero | tr '\\0' x", "head -c 50000000 /dev/urandom"];
    for (const command of commands) {
      const before = process.memoryUsage().rss;
      const began = performance.now();
      let most = 0;
      const running = start(runCommand({ root }), { command });
      let next = await running.next();
      for (; next.done !== true; next = await running.next()) most = Math.max(most, process.memoryUsage().rss);
      expect(performance.now() - began).toBeLessThan(15_000);
      expect(most - before).toBeLessThan(200_000_000);
      expect(next.value).toMatch(/^exit code 0\n[^]*\[\.\.\. \d+ bytes left out \.\.\.\]/);
      expect(Buffer.byteLength(next.value)).toBeLessThan(33_000);
    }
  });
});
