// One worker: makes its fixture, generates commands, asks the gate, runs what it lets through, and compares.

import { mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { argvsIn, asking, beliefAbout, placed } from "./belief.mjs";
import { differences } from "./compare.mjs";
import { makeFixture } from "./fixture.mjs";
import { generator } from "./generate.mjs";
import { minimise } from "./minimise.mjs";
import { measure, ownFiles } from "./own-files.mjs";
import { choices } from "./random.mjs";
import { linkShells, runTraced } from "./run-traced.mjs";

/** Commands of one run of strace. */
const batchSize = 200;
/** Failures of one kind that are made shorter; more are only counted. */
const minimised = 2;

/** The folders of the system alone: a person's own folders may hold wrappers that read and start anything. */
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Makes a worker in the folder: sets HOME of this process to its fixture, and loads the gate. `measured` comes from
 * another worker; without it, the worker measures the programs of the table that `names` says yes to. It measures its shells in any case,
 * because their paths are in its folder.
 */
export async function makeWorker({ folder, module, shells: shellNames, measured, more, names = () => true }) {
  const place = realpathSync(folder);
  const scratch = join(place, "scratch");
  mkdirSync(scratch, { recursive: true });
  const { home, root } = makeFixture(place);
  process.env.HOME = home;
  process.env.TMPDIR = scratch;
  process.env.PATH = more === undefined ? systemPath : `${systemPath}:${more}`;
  const library = await import(module);
  const environment = library.plainVariables();
  const shells = linkShells(place, shellNames);
  const running = { environment, scratch };
  const table = measured === undefined ? [...library.safePrograms].filter(([name]) => names(name)) : [];
  const own = [...(await measure(table, { ...running, probe: join(home, "probe"), shells })), ...(measured ?? [])];
  const worker = {
    place,
    root,
    library,
    shells,
    running,
    measured: own,
    isOwn: ownFiles(own),
    ask: asking(library, root),
  };
  worker.generate = await generator(
    library.safePrograms,
    async (text) => (await worker.ask({ text, folder: "." })).length > 0,
  );
  return worker;
}

/** The differences of commands that the gate lets through, one list for each, after running them in one shell. */
async function tryIn(worker, name, cases) {
  const shell = worker.shells.get(name);
  const found = [];
  while (found.length < cases.length) {
    const rest = cases.slice(found.length);
    const commands = rest.map(({ command }) => ({
      text: placed(command).text,
      folder: resolve(worker.root, command.folder),
    }));
    const runs = await runTraced(commands, { shell, ...worker.running });
    const lists = runs.map(({ calls, isHung }, index) => [
      ...(isHung ? [{ kind: "hung", what: "it does not end", program: "" }] : []),
      ...differencesOf(worker, rest[index], calls),
    ]);
    const damaged = lists.findIndex((list) => list.some(({ kind }) => kind === "change" || kind === "program"));
    // What ran after damage ran in another fixture than the gate saw.
    found.push(...(damaged < 0 ? lists : lists.slice(0, damaged + 1)));
    if (damaged >= 0) makeFixture(worker.place);
  }
  return found;
}

function differencesOf({ library, root, isOwn }, { command, laws }, calls) {
  const all = laws.flatMap((law) =>
    differences(calls, beliefAbout(library, command, law, { root, isOwn })).map((one) => ({ ...one, law })),
  );
  const seen = new Set();
  return all.filter(({ kind, what }) => !seen.has(kind + what) && seen.add(kind + what));
}

/**
 * Tries the commands of a seed from `begin` to `end`, each `step` numbers. Calls `report` with `{ done }`, the
 * counts of a batch, and with `{ failure }`; it ends early if that returns false.
 */
export async function tryMany(worker, { seed, begin, end, step }, report) {
  const counts = new Map();
  for (let first = begin; first < end; first += batchSize * step) {
    const cases = [];
    const done = { asked: 0, allowed: 0, told: 0 };
    for (let number = first; number < Math.min(end, first + batchSize * step); number += step) {
      const command = worker.generate(choices(seed, number));
      const laws = await worker.ask(command);
      done.asked += 1;
      if (
        laws.crash !== undefined &&
        (await tellCrash(worker, { number, command }, laws.crash, counts, report)) === false
      )
        return;
      if (laws.length === 0) continue;
      if (argvsIn(worker.library, placed(command), worker.root) !== undefined) done.told += 1;
      cases.push({ number, command, laws });
    }
    done.allowed = cases.length;
    for (const name of worker.shells.keys()) {
      const lists = await tryIn(worker, name, cases);
      for (const [index, list] of lists.entries())
        if (
          list.length > 0 &&
          (await tell(worker, { ...cases[index], shell: name, differences: list }, counts, report)) === false
        )
          return;
    }
    report({ done });
  }
}

/** The difference that says most: output is often only the consequence of another one. */
function mainOf(differences) {
  return differences.find(({ kind }) => kind !== "printed") ?? differences[0];
}

/** Reports a failure: the first ones of their kind with a shorter command. */
async function tell(worker, failure, counts, report) {
  const main = mainOf(failure.differences);
  const key = [main.kind, main.program.replace(/^.*\//, "")].join(" ");
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  // Each try of a command that hangs takes seconds.
  const isRepeated = count > minimised || main.kind === "hung";
  const shortest = isRepeated
    ? undefined
    : await minimise(failure.command, (commands) => failingOf(worker, failure.shell, commands, main));
  return report({ failure: { ...failure, main, key, shortest } });
}

/** Reports a command on which the gate throws. */
async function tellCrash({ ask }, { number, command }, what, counts, report) {
  const main = { kind: "crash", what, program: "" };
  const count = (counts.get("crash") ?? 0) + 1;
  counts.set("crash", count);
  const crashing = async (commands) => {
    const found = [];
    for (const one of commands) if ((await ask(one)).crash !== undefined) found.push(one);
    return found;
  };
  const shortest = count > minimised ? undefined : await minimise(command, crashing);
  return report({ failure: { number, command, shell: "any shell", main, key: "crash", shortest } });
}

/** The commands that fail in the same way. */
async function failingOf(worker, shell, commands, { kind, program }) {
  const cases = [];
  for (const command of commands) {
    const laws = await worker.ask(command);
    if (laws.length > 0) cases.push({ command, laws });
    if (cases.length >= batchSize) break;
  }
  if (cases.length === 0) return [];
  const lists = await tryIn(worker, shell, cases);
  const isSame = (one) => one.kind === kind && one.program === program;
  return cases.filter((_one, index) => lists[index].some(isSame)).map(({ command }) => command);
}

/** Tries one command; returns the laws that let it through, and the differences in each shell. */
export async function tryOne(worker, command) {
  const laws = await worker.ask(command);
  const shells = [];
  if (laws.length > 0)
    for (const name of worker.shells.keys()) {
      const [list] = await tryIn(worker, name, [{ command, laws }]);
      shells.push({ shell: name, differences: list });
    }
  return { laws, shells };
}

if (process.send !== undefined && process.argv[2] === "--worker") {
  const [options] = await new Promise((resolve) => process.once("message", (...all) => resolve(all)));
  const worker = await makeWorker(options);
  await tryMany(worker, options, (said) => process.send(said));
  process.disconnect();
}
