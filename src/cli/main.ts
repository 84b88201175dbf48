// The command: settings in, exit code out. It wires the parts together and does nothing itself.

import { asFault } from "../core/internal.js";
import { about } from "./about.js";
import { expectComplete, readSettings, type Settings } from "./args/args.js";
import { faultCode } from "./show/ending.js";
import type { Values } from "./args/option-table.js";
import { noPage } from "./args/help.js";
import { parseOptions, wrong } from "./args/options.js";
import { confirm } from "./person/person.js";
import { personIn, sayer, type Surroundings } from "./person/surface.js";
import { visible } from "./words/visible.js";

/** Runs the command. Returns the exit code; a fault is printed to standard error. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const words = parseOptions(argv);
    const settings = readSettings(words);
    const { order } = settings;
    if (order.do !== "run" && order.do !== "resume" && order.do !== "chat") return await obey(settings, around);
    const id = order.do === "run" ? undefined : order.id;
    const kept =
      id === undefined ? {} : await (await import("./sessions/on-sessions.js")).keptFor(settings, id, around);
    const config = await configFor(readSettings(words, { kept }), around);
    const joined = readSettings(words, { kept, config });
    expectComplete(joined);
    return await obey(joined, around);
  } catch (thrown) {
    const fault = asFault(thrown);
    const say = await sayer(around);
    say(`lastcall: ${visible(fault.message, { multiline: true })}`);
    return faultCode(fault);
  }
}

/** The options that config files set. */
async function configFor(settings: Settings, around: Surroundings): Promise<Values> {
  const { env, signal } = around;
  const { workdir, config, noConfig, noInput } = settings;
  const person = noInput ? undefined : personIn(around);
  const { readConfig } = await import("./args/config.js");
  return readConfig({
    workdir,
    named: noConfig ? "none" : config,
    env,
    say: await sayer(around),
    confirm: person && ((question) => confirm(person, question, signal)),
  });
}

async function obey(settings: Settings, around: Surroundings): Promise<number> {
  const { order } = settings;
  switch (order.do) {
    case "help":
    case "version": {
      const text = await about(order, around);
      if (text === undefined) throw wrong(noPage(order.do === "help" ? (order.page ?? "") : ""));
      around.stdout.write(text);
      return 0;
    }
    case "demo":
      if (!order.isNamed) await (await import("./task/material.js")).expectNoInput(around);
      return (await import("./demo/run-demo.js")).runDemo(settings, around);
    case "run":
    case "resume":
      return (await import("./task/start-task.js")).startTask(settings, around, order);
    case "chat":
      return (await import("./chat/run-chat.js")).runChat(settings, around, order.id);
    case "list":
    case "show":
    case "fork":
    case "prune":
    case "repair":
      return (await import("./sessions/on-sessions.js")).tellOf(order, settings, around);
  }
}
