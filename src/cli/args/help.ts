// The help: the orders that the command takes, its options, and its exit codes.

import { rows, type Row } from "./option-table.js";

const orders = `lastcall "task" [options]      works on the task in this folder until it is done
lastcall chat [ID]             a conversation at the terminal, a new one or one that is kept; without a terminal, line by line
lastcall resume ID ["answer"]  answers a session's question, or goes on where it was left
lastcall sessions              lists the sessions; show ID prints one, fork ID@RECORD copies it up to a record
lastcall repair ID             says what a repair of a damaged session would keep and drop; with --write repairs it
lastcall prune 30d             deletes the sessions that nobody has gone on with for 30 days (or 12h, 4w)
lastcall                       shows a demo with a recorded model
`;

const codes = `The answer goes to standard output, progress to standard error.
Exit codes: 0 completed (with --until: and checked), 1 failed, 2 stopped short, 3 waiting for an answer, 4 configuration or key, 5 completed and the checks proved nothing, 6 completed without a check (--require-verified), 124 timeout, 130 interrupted.
`;

/** The text that `--help` prints. */
export function help(): string {
  return [orders, ...Object.entries(rows).flatMap(linesOf), "", codes].join("\n");
}

/** The help of one option: its lines, under the heading of its group if it begins one; nothing if another line says it. */
function linesOf([name, row]: readonly [string, Row]): readonly string[] {
  if (typeof row.help !== "string") return [];
  const usage = [`--${name}`, row.value ?? []].flat().join(" ") + (row.alongside ? `, --${row.alongside}` : "");
  const fallback = row.default === undefined ? "" : ` (default: ${row.default})`;
  const text = `${row.help}${fallback}`.replaceAll("\n", `\n${" ".repeat(23)}`);
  const line = `  ${usage.padEnd(19)}  ${text}`.trimEnd();
  return row.heading === undefined ? [line] : ["", row.heading, line];
}
