// The options of `npm run bench`.

import { parseArgs } from "node:util";

export const help = `npm run bench [-- OPTIONS]

Measures lastcall beside a loop written by hand on the openai package: fresh processes, interleaved, medians with their spread.

  --quick           two rounds, without the rows that take longest
  --rounds N        rounds of fresh processes (3)
  --rows A,B        these rows only
  --openai 6,7      the loop by hand on these versions of openai, too; they are installed into a temporary folder, which needs the network
  --check           compares the ratios with those of bench/ratios.json, and exits with 1 if one is worse beyond the noise
  --write           keeps the figures in bench/results.json and bench/ratios.json, and draws docs/performance.md and its plot from them
  --redraw          draws them from the kept figures, without measuring
  --profile         shows where an iteration's microseconds go, by room of the sources; with --write in docs/performance.md, too
  --json FILE       writes all samples to this file
  --from FILE       reads such a file instead of measuring
  --help            shows this

Rows: `;

const known = {
  quick: { type: "boolean" },
  rounds: { type: "string" },
  rows: { type: "string" },
  openai: { type: "string" },
  check: { type: "boolean" },
  write: { type: "boolean" },
  redraw: { type: "boolean" },
  profile: { type: "boolean" },
  json: { type: "string" },
  from: { type: "string" },
  help: { type: "boolean" },
};

/** Reads the options, or returns `{ error }`: one sentence about the first mistake. */
export function readOptions(args, rows) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: known }));
  } catch (error) {
    return { error: `${error.message.split(". ")[0].replace(/\.$/, "")}. See --help.` };
  }
  const { quick = false, check = false } = values;
  const rounds = values.rounds === undefined ? (quick ? 2 : 3) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) {
    return { error: `--rounds takes a whole number from 1 to 50, not "${values.rounds}".` };
  }
  const asked = values.rows?.split(",");
  const unknown = asked?.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) {
    return { error: `There is no row "${unknown}". The rows are ${rows.map(({ name }) => name).join(", ")}.` };
  }
  const openai = values.openai?.split(",") ?? [];
  const odd = openai.find((version) => !/^\d+(\.\d+){0,2}$/.test(version));
  if (odd !== undefined) return { error: `--openai takes versions like 6 or 7.57.0, not "${odd}".` };
  const actions = ["check", "redraw", "profile", "write"].filter((name) => values[name]);
  if (actions.length > 1 && actions.join() !== "profile,write")
    return { error: `--${actions[0]} and --${actions[1]} do not go together.` };
  const chosen = asked ? rows.filter(({ name }) => asked.includes(name)) : rows.filter((row) => !(quick && row.isSlow));
  return { ...values, quick, check, rounds, openai, rows: chosen };
}
