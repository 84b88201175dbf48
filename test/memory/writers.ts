// Real processes that write one session, to be stopped and killed, and what must be true of the log afterwards.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "vitest";
import type { Store } from "../../src/memory/index.js";
import type { StoreKind } from "../chaos/store-of.mjs";
import "../dist.js";

/** What the writers are told. */
export interface WriterOptions {
  readonly kind: StoreKind;
  readonly path: string;
  /** How much faster their clock runs. */
  readonly speed: number;
  readonly begin: number;
  /** How many lines they write at most before they release the lock. */
  readonly most: number;
}

/** A process that writes, and what it said. */
export interface Writer {
  readonly child: ChildProcess;
  said(): string;
  /** The time of its last output, in milliseconds since the start of this process. */
  spokeAt(): number;
  errors(): string;
  /** Settles once it has said something. */
  readonly begun: Promise<unknown>;
  kill(): Promise<void>;
}

export function startWriter(options: WriterOptions): Writer {
  const file = join(import.meta.dirname, "writer.mjs");
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] });
  let [said, errors] = ["", ""];
  let spokeAt = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    spokeAt = performance.now();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const closed = once(child, "close");
  return {
    child,
    said: () => said,
    spokeAt: () => spokeAt,
    errors: () => errors.replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, ""),
    begun: Promise.race([once(child.stdout, "data"), closed]),
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** The lines that were told as kept, in the order in which they were told; what a killed process did not say whole is not told. */
function toldBy(writer: Writer): readonly string[] {
  const whole = writer.said().slice(0, writer.said().lastIndexOf("\n") + 1);
  return whole.split("\n").filter((line) => line.includes('"at"'));
}

/**
 * Each line is where its writer put it, so no two wrote at the same time; every line that was told is there, so none was lost;
 * at most one unfinished piece is behind them.
 */
export async function expectOneLog(store: Store, writers: readonly Writer[]): Promise<readonly string[]> {
  for (const writer of writers) expect(writer.errors()).toBe("");
  const lines = [...((await store.read("shared")) ?? [])];
  const places = lines.map((line, index) => {
    try {
      return (JSON.parse(line) as { readonly at: number }).at;
    } catch {
      // Half a line may be there once, as the last.
      return index === lines.length - 1 ? index : "torn";
    }
  });
  expect(places).toEqual(lines.map((_line, index) => index));
  const kept = new Set(lines);
  expect(writers.flatMap(toldBy).filter((line) => !kept.has(line))).toEqual([]);
  return lines;
}
