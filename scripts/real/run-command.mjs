// Runs a program to its end, and says what it wrote if it fails.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { NotToBeHad } from "./cache.mjs";

/**
 * Runs a program and returns what it wrote to its standard output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ what: string, timeout: number, cwd?: string }} options `what` says the step in words; `timeout` in milliseconds.
 * @throws NotToBeHad if there is no such program, it takes too long, or it fails.
 */
export async function runCommand(program, args, { what, timeout, cwd }) {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout, killSignal: "SIGKILL" });
  const written = { stdout: "", stderr: "" };
  for (const name of Object.keys(written))
    child[name].setEncoding("utf8").on("data", (text) => (written[name] += text));
  const [code, signal] = await once(child, "close").catch((thrown) => {
    throw new NotToBeHad(`${what}: ${program} can't be run (${thrown.code ?? thrown.message})`);
  });
  if (code === 0) return written.stdout;
  const last = (written.stderr.trim() || written.stdout.trim()).split("\n").at(-1) ?? "";
  const why =
    signal === null ? `${program} exited with ${String(code)}` : `${program} was ended after ${timeout / 1000} s`;
  throw new NotToBeHad(`${what}: ${why}: ${last.slice(0, 300)}`);
}
