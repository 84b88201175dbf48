// The command: settings in, exit code out. It wires the parts together and does nothing itself.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { asFault, checkPrices, explain, LastcallError, type LimitOptions } from "../core/index.js";
import { readArgs, type Order, type Settings } from "./args.js";
import { faultCode } from "./ending.js";
import { help, presets } from "./help.js";
import { typed, type Values } from "./options.js";
import { plain, type Style } from "./log.js";
import { confirm, personAt, type Person } from "./person.js";
import { visible } from "./visible.js";
import type { Work } from "./work.js";

/** Where the command is run: the process, or a test's stand-in for it. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person wants it to stop. */
  readonly signal: AbortSignal;
  readonly interrupt: () => void;
}

/** Runs the command. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const settings = readArgs(argv);
    const { order } = settings;
    if (order.do === "run") return await obey(readArgs(argv, { config: await configFor(settings, around) }), around);
    if (order.do !== "resume") return await obey(settings, around);
    const { keptFor } = await import("./on-sessions.js");
    const kept = await keptFor(settings, order.id, around);
    const config = await configFor(readArgs(argv, { kept }), around);
    return await obey(readArgs(argv, { kept, config }), around);
  } catch (thrown) {
    const fault = asFault(thrown);
    around.stderr.write(`lastcall: ${visible(fault.message, { multiline: true })}\n`);
    return faultCode(fault);
  }
}

/** What config files say. */
async function configFor(settings: Settings, around: Surroundings): Promise<Values> {
  const { env, signal } = around;
  const { workdir, config: named, input } = settings;
  const person = input ? personIn(around) : undefined;
  const { readConfig } = await import("./config.js");
  return readConfig({
    workdir,
    named,
    env,
    say: (line) => around.stderr.write(`${line}\n`),
    confirm: person && ((question) => confirm(person, question, signal)),
  });
}

async function obey(settings: Settings, around: Surroundings): Promise<number> {
  const { order } = settings;
  switch (order.do) {
    case "help":
      around.stdout.write(help());
      return 0;
    case "version":
      around.stdout.write(`${await version()}\n`);
      return 0;
    case "demo":
      return runDemo(settings, around);
    case "run":
    case "resume":
      return runTask(settings, around, order);
    case "list":
    case "show":
    case "fork":
    case "prune":
      return (await import("./on-sessions.js")).tellOf(order, settings, around);
  }
}

async function runTask(
  settings: Settings,
  around: Surroundings,
  order: Extract<Order, { readonly do: "run" | "resume" }>,
): Promise<number> {
  const { workdir, rights, input } = settings;
  const { env, signal } = around;
  const person = input ? personIn(around) : undefined;
  if (rights.mode === "ask-all" && person === undefined) {
    throw new LastcallError(
      "configuration",
      "--ask needs a terminal to ask at, and there is none. Use --yes, or leave it out.",
    );
  }
  const { findModel } = await import("./find-model.js");
  const surface = surfaceOf(settings, around);
  if (order.do === "resume" && settings.log !== "quiet")
    surface.say(surface.style.dim(`goes on with ${typed(settings.kept) || "no options"}`));
  const found = await findModel(settings, {
    env,
    say: surface.say,
    confirm: person && ((question) => confirm(person, question, signal)),
  });
  const [{ openai }, { work }, { notesFrom, sessionFor }, { storeFolder }] = await Promise.all([
    import("../model/index.js"),
    import("./work.js"),
    import("./on-sessions.js"),
    import("./sessions.js"),
  ]);
  return work({
    ...surface,
    ...(await sessionFor(settings, around, order)),
    workdir: resolve(workdir),
    model: openai({ ...found, ...(settings.forcing !== undefined && { forcing: settings.forcing }) }),
    rights: settings.rights,
    secrets: secretsIn(env, found.apiKey),
    until: settings.until,
    protect: settings.protect,
    attempts: settings.attempts,
    onEdit: settings.onEdit,
    limits: await limitsFor(settings),
    notes: settings.notes,
    notesFrom: await notesFrom(settings, around),
    window: settings.window,
    person,
    approver: person && (await import("./approver.js")).approverAt(person, surface),
    guarded: [
      storeFolder(settings.sessions, env),
      ...(settings.config === undefined ? [] : [resolve(settings.config)]),
    ],
    interactive: input,
  });
}

async function runDemo(settings: Settings, around: Surroundings): Promise<number> {
  const surface = surfaceOf(settings, around);
  const { say } = surface;
  const [{ demo, demoTask }, { openai }, { work }] = await Promise.all([
    import("./demo.js"),
    import("../model/index.js"),
    import("./work.js"),
  ]);
  const { workdir, provider } = await demo(around.stderr.isTTY ? 400 : 0);
  say(
    "This is a demo. The model is recorded: its words were written beforehand and come from a server on this machine.",
  );
  say("Everything else is real: the loop, the tools, the files, the tests that fail and pass.");
  say(`\nTask: ${demoTask}\nFolder: ${workdir}\n`);
  try {
    return await work({
      ...surface,
      session: undefined,
      input: demoTask,
      answers: undefined,
      workdir,
      model: openai({ baseURL: provider.url, model: "recorded" }),
      rights: {
        tier: "workspace-write",
        mode: "ask-never",
        allow: ["run_command(npm test --silent)"],
        deny: [],
        dryRun: false,
        shell: "sandbox",
      },
      until: [{ line: "npm test --silent", every: "claim" }],
      protect: ["test"],
      attempts: undefined,
      onEdit: [],
      limits: presets,
      notes: false,
      notesFrom: undefined,
      window: undefined,
      person: undefined,
      approver: undefined,
      secrets: [],
      guarded: [],
      interactive: true,
    });
  } finally {
    await provider.close();
    const command = around.env["npm_lifecycle_event"] === "start" ? "npm start --" : "lastcall";
    say("\nThe folder is left for you to look at. With a model of your own:");
    say(`  OPENAI_API_KEY=... ${command} "your task"`);
    say(`  ${command} --base-url http://127.0.0.1:11434/v1 --model NAME "your task"`);
  }
}

/** What the environment names as secrets, long enough to be told from other texts. */
function secretsIn(env: Surroundings["env"], key: string | undefined): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    /(?:key|token|secret|password|passwd|credentials?)$/i.test(name) ? [value ?? ""] : [],
  );
  return [...new Set([key ?? "", ...named])].filter((value) => value.length >= 8);
}

/** The limits, with the prices from their file. */
async function limitsFor({ limits, prices: file }: Settings): Promise<LimitOptions> {
  if (file === undefined) return limits;
  try {
    return { ...limits, prices: checkPrices(JSON.parse(await readFile(file, "utf8"))) };
  } catch (thrown) {
    throw new LastcallError("configuration", `--prices ${file} can't be used: ${explain(thrown)}`, { cause: thrown });
  }
}

/** What is printed where, and how. */
function surfaceOf({ json, log }: Settings, { stdout, stderr, env, signal }: Surroundings): Surface {
  return {
    json,
    log,
    signal,
    style: stderr.isTTY && (env["NO_COLOR"] ?? "") === "" ? colours : plain,
    say: (line) => stderr.write(`${line}\n`),
    answer: (text) => stdout.write(`${stdout.isTTY ? visible(text, { multiline: true }) : text}\n`),
  };
}

type Surface = Pick<Work, "json" | "log" | "style" | "signal" | "answer" | "say">;

const colours: Style = {
  dim: (text) => styleText("dim", text),
  bold: (text) => styleText("bold", text),
  good: (text) => styleText("green", text),
  bad: (text) => styleText("red", text),
};

/** Somebody to ask, if there is a terminal to ask at. */
function personIn({ stdin, stderr, interrupt }: Surroundings): Person | undefined {
  return stdin.isTTY && stderr.isTTY ? personAt(stdin, stderr, interrupt) : undefined;
}

async function version(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
