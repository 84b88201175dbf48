// The numbers of the stored sessions: read, and shown as a table.

import { openSession, sessionStats, type Latency, type SessionStats, type WorkStats } from "../../memory/index.js";
import type { Session } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { count, seconds } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { findId, storeFor } from "./sessions.js";

/** Prints the numbers of all sessions of the store, or of one session and the agents that its calls ran. Returns the exit code. */
export async function tellStats(given: string | undefined, settings: Settings, around: Surroundings): Promise<number> {
  const store = await storeFor(settings, around.env);
  const say = await sayer(around);
  const chosen = given === undefined ? undefined : await findId(store, given);
  async function* sessions(): AsyncGenerator<Session, void, void> {
    for (const { id } of await store.list()) {
      if (around.signal.aborted) return;
      if (chosen !== undefined && id !== chosen && !id.startsWith(`${chosen}/`)) continue;
      try {
        yield await openSession({ store, id }).toJSON();
      } catch (thrown) {
        say(
          `Left out: ${visible(id)} can't be read: ${visible(thrown instanceof Error ? thrown.message : String(thrown))}`,
        );
      }
    }
  }
  const stats = await sessionStats(sessions());
  if (settings.json) around.stdout.write(`${JSON.stringify(stats, null, 2)}\n`);
  else if (stats.sessions === 0) say(`There are no sessions in ${store.name}.`);
  else for (const line of statsLines(stats)) around.stdout.write(`${line}\n`);
  return around.signal.aborted ? 130 : 0;
}

/** The numbers in lines for people. */
export function statsLines(stats: SessionStats): readonly string[] {
  const { sessions, runs, iterations, models, tools, checks, failures, circuitOpenings } = stats;
  const all = Object.values(runs).reduce((sum, number) => sum + number, 0);
  return [
    `${count(sessions, "session")}, ${count(all, "run")}, ${count(iterations, "iteration")}`,
    ...listed("ends", runs),
    ...listed("failures", failures),
    ...(circuitOpenings === 0 ? [] : [`the circuit opened ${count(circuitOpenings, "time")}`]),
    ...table(
      "model",
      ["replies", "tokens in", "out", "cost"],
      models,
      ({ replies, inputTokens, outputTokens, cost }) => [
        whole(replies),
        whole(inputTokens),
        whole(outputTokens),
        cost === 0 ? "" : String(Number(cost.toPrecision(3))),
      ],
    ),
    ...table("tool", ["calls", "failed"], tools, worked),
    ...table("check", ["runs", "failed"], checks, worked),
  ];
}

function worked({ times, failed }: WorkStats): readonly string[] {
  return [whole(times), failed === 0 ? "" : whole(failed)];
}

function whole(number: number): string {
  return number.toLocaleString("en-US");
}

function listed(word: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(counts).map(([name, number]) => `${name.replaceAll("_", " ")} ${whole(number)}`);
  return parts.length === 0 ? [] : [`${word}: ${parts.join(", ")}`];
}

/** The widest name that a table shows whole. */
const widest = 40;

/** A table with the latencies behind its own columns; nothing without rows. */
function table<Row extends { readonly name: string; readonly latency: Latency }>(
  what: string,
  columns: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
): readonly string[] {
  if (rows.length === 0) return [];
  const times = ({ latency: { measured, p50, p95, p99 } }: Row): readonly string[] =>
    measured === 0 ? ["", "", ""] : [p50, p95, p99].map(seconds);
  const lines = [
    [what, ...columns, "p50", "p95", "p99"],
    ...rows.map((row) => [nameOf(row), ...cells(row), ...times(row)]),
  ];
  const widths = columnsOf(lines);
  return [
    "",
    ...lines.map((line) =>
      line
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join("  ")
        .trimEnd(),
    ),
  ];
}

function nameOf({ name }: { readonly name: string }): string {
  const shown = visible(name === "" ? "unknown" : name);
  return shown.length > widest ? `${shown.slice(0, widest - 1)}…` : shown;
}

function columnsOf(lines: readonly (readonly string[])[]): readonly number[] {
  return (lines[0] ?? []).map((_cell, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
}
