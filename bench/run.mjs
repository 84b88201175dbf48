// npm run bench: measures lastcall beside a loop written by hand. `npm run bench -- --help` lists the options, docs/performance.md has the method.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { cpus, loadavg } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { check, help, missedLimits, readOptions, spread, tables } from "./figures/index.mjs";
import { conditions, draw, keep, keptRatiosOf, place } from "./page.mjs";
import { profileOf } from "./profile.mjs";
import { clients, metrics, rows } from "./rows.mjs";
import { installOpenai, sample, startServer } from "./samples.mjs";

const note = (text) => process.stderr.write(`${text}\n`);

/** Rows that are measured in one process: those of the loop together, any other row alone. */
function groupsOf(chosen) {
  const loops = chosen.filter(({ mode }) => mode === "loop");
  return [...(loops.length > 0 ? [loops] : []), ...chosen.filter(({ mode }) => mode !== "loop").map((row) => [row])];
}

/** The samples of a round: every group with every client. Odd rounds have the clients in the opposite order. */
function planOf(group, names, round) {
  const able = names.filter((name) =>
    group.some((row) => row.clients.includes(name.startsWith("hand") ? "hand" : name)),
  );
  return (round % 2 === 0 ? able : able.toReversed()).map((client) => ({ client, group }));
}

/** Runs all rounds and returns the figures by row, client and name, a number for each round. */
async function measure({ rows: chosen, rounds, versions }) {
  const measured = {};
  const foreign = [];
  const left = isBuiltin("node:sqlite") ? [] : ["sqlite"];
  if (left.length > 0)
    note(`The rows of the SQLite store are left out: Node ${process.versions.node} has no node:sqlite.`);
  const names = [
    ...Object.keys(clients).filter((name) => !left.includes(name)),
    ...versions.map(({ client }) => client),
  ];
  const server = await startServer();
  try {
    // Warms the server up, so that the first client does not pay for it.
    await sample(server, "hand", { mode: "loop", rows: rows.filter(({ name }) => name === "n50") });
    for (let round = 0; round < rounds; round += 1) {
      const due = chosen.filter(({ isOnce }) => round === 0 || !isOnce);
      for (const { client, group } of groupsOf(due).flatMap((rows) => planOf(rows, names, round))) {
        const { openai } = versions.find((version) => version.client === client) ?? {};
        const kind = client.startsWith("hand") ? "hand" : client;
        const own = group.filter((row) => row.clients.includes(kind));
        const taken = await sample(server, client, { mode: own[0].mode, rows: own, openai });
        // In a short sample the clock ticks and the start of the process are most of the difference.
        const isLong = taken.took > 1000 && own[0].mode !== "startup";
        if (isLong) foreign.push(taken.foreign);
        add(measured, client, taken.answer);
        const what = own.length > 1 ? own[0].mode : own[0].name;
        const disturbed =
          isLong && taken.foreign > 0.3 ? `; other programs used ${taken.foreign.toFixed(1)} cores` : "";
        note(`round ${round + 1} of ${rounds}: ${what}, ${client}: ${(taken.took / 1000).toFixed(1)} s${disturbed}`);
      }
    }
  } finally {
    server.stop();
  }
  return { measured, foreign: spread(foreign) ?? { median: 0, low: 0, high: 0 } };
}

function add(measured, client, answer) {
  for (const [row, figures] of Object.entries(answer)) {
    const own = ((measured[row] ??= {})[client] ??= {});
    for (const [figure, value] of Object.entries(figures)) (own[figure] ??= []).push(value);
  }
}

async function main() {
  const options = readOptions(process.argv.slice(2), rows);
  if (options.error !== undefined) {
    note(options.error);
    return 2;
  }
  if (options.help) {
    console.log(`${help}${rows.map(({ name }) => name).join(", ")}`);
    return 0;
  }
  if (options.json && !existsSync(dirname(resolve(options.json)))) {
    note(`--json ${options.json}: there is no folder ${dirname(resolve(options.json))}.`);
    return 2;
  }
  if (options.redraw) return await draw();
  if (options.profile) {
    const text = await profileOf();
    console.log(text);
    if (options.write) await place("profile", text);
    return 0;
  }
  if (options.from) {
    const { about, measured } = JSON.parse(readFileSync(options.from, "utf8"));
    return await report(options, about, measured);
  }
  // The figures are to be those of the sources as they are.
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, ["scripts/bundle.mjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const versions = installOpenai(options.openai);
  try {
    const { measured, foreign } = await measure({ ...options, versions });
    return await report(options, aboutNow(options.rounds, foreign), measured);
  } finally {
    for (const { folder } of versions) rmSync(folder, { recursive: true, force: true });
  }
}

const aboutNow = (rounds, foreign) => ({
  node: process.versions.node,
  cores: cpus().length,
  rounds,
  date: new Date().toISOString().slice(0, 10),
  load: loadavg()[0],
  foreign,
});

/** Prints the figures, keeps or checks them, and returns the exit code. */
async function report(options, about, measured) {
  console.log(tables(measured, { rows, clients, metrics }));
  console.log(`\n${conditions(about)}`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ about, measured }, null, 2)}\n`);
  if (options.write) {
    await keep(about, measured);
    return await draw();
  }
  const { problems, notes } = options.check
    ? check(measured, keptRatiosOf(about.node), options.rows)
    : { problems: missedLimits(measured, options.rows), notes: [] };
  for (const text of [...notes, ...problems]) console.log(text);
  if (options.check && problems.length === 0) console.log("No ratio is worse than the kept one beyond the noise.");
  return problems.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  note(error.message);
  process.exitCode = 2;
}
