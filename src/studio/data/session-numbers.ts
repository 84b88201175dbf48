// The numbers of sessions as tables: what a person reads of latencies, failures and ends.

import type { StoreStats } from "../../server/index.js";
import { cost, duration, tokens, visible } from "./shown-words.js";

type Work = StoreStats["stats"]["tools"][number];
type Latency = Work["latency"];

/** A table. The first cell of a row is its name. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const times = ["p50", "p95", "p99"];

function timesOf({ measured, p50, p95, p99 }: Latency): readonly string[] {
  return measured === 0 ? ["", "", ""] : [p50, p95, p99].map(duration);
}

/** A whole number with commas between its thousands. */
export function whole(number: number): string {
  return number.toLocaleString("en-US");
}

function nameOf(name: string): string {
  return name === "" ? "unknown" : visible(name);
}

/** The tables that have rows. */
export function tablesOf({ stats }: Pick<StoreStats, "stats">): readonly Table[] {
  const { models, tools, checks, failures, runs } = stats;
  const work = (title: string, noun: string, all: readonly Work[]): Table => ({
    title,
    columns: [noun, "failed", ...times],
    rows: all.map(({ name, times: number, failed, latency }) => [
      nameOf(name),
      whole(number),
      failed === 0 ? "" : whole(failed),
      ...timesOf(latency),
    ]),
  });
  const listed = (title: string, noun: string, counts: Readonly<Record<string, number>>): Table => ({
    title,
    columns: [noun],
    rows: Object.entries(counts).map(([name, number]) => [nameOf(name.replaceAll("_", " ")), whole(number)]),
  });
  const hasCost = models.some((model) => model.cost > 0);
  const all: readonly Table[] = [
    {
      title: "Models",
      columns: ["replies", ...times, "tokens in", "out", ...(hasCost ? ["cost"] : [])],
      rows: models.map((model) => [
        nameOf(model.name),
        whole(model.replies),
        ...timesOf(model.latency),
        tokens(model.inputTokens),
        tokens(model.outputTokens),
        ...(hasCost ? [cost(model.cost)] : []),
      ]),
    },
    work("Tools", "calls", tools),
    work("Checks", "runs", checks),
    listed("Failures", "times", failures),
    listed("Ends of runs", "runs", runs),
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** Says of all sessions which were looked at. */
export function readWords({ read, of, unreadable }: Omit<StoreStats, "stats">): string {
  const which =
    read < of ? `The ${whole(read)} sessions that were used last, of ${whole(of)}` : `All ${whole(of)} sessions`;
  const left = unreadable === 0 ? "" : ` ${whole(unreadable)} can't be read, and count nowhere.`;
  return `${of === 1 ? "The only session" : which}, with the agents that calls ran.${left}`;
}
