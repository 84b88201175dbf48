// The command: settings in, exit code out. It wires the parts together and does nothing itself.

import { asFault } from "../core/internal.js";
import { about } from "./about.js";
import { expectComplete, readSettings, type Settings } from "./args/args.js";
import { faultCode } from "./show/ending.js";
import type { McpOrder } from "./args/mcp-order.js";
import type { Values } from "./args/option-table.js";
import type { Order } from "./args/order.js";
import { noPage } from "./args/help.js";
import { parseOptions, wrong, type KeptOptions } from "./args/options.js";
import type { FolderFile } from "./args/trust.js";
import { confirm } from "./person/person.js";
import { personIn, sayer, type Surroundings } from "./person/surface.js";
import { ReadOnce } from "./display/read-once.js";
import { visible } from "./display/visible.js";

/** Runs the command. Returns the exit code; a fault is printed to standard error. */
export async function main(argv: readonly string[], process: Surroundings): Promise<number> {
  const around: Surroundings = { ...process, files: new ReadOnce() };
  try {
    const words = parseOptions(argv);
    const settings = readSettings(words);
    const { order } = settings;
    const settingsWith = (kept: KeptOptions): Settings => readSettings(words, { kept });
    if (order.do === "studio") expectComplete(settings);
    if (!usesConfig(order)) return await obey(settings, around, { settingsWith });
    const id = "id" in order ? order.id : undefined;
    const kept =
      id === undefined ? {} : await (await import("./sessions/on-sessions.js")).keptFor(settings, id, around);
    const { config, untrusted } = await configFor(readSettings(words, { kept }), around);
    const joined = readSettings(words, { kept, config });
    expectComplete(joined);
    return await obey(joined, around, { settingsWith, untrusted });
  } catch (thrown) {
    const fault = asFault(thrown);
    const say = await sayer(around);
    say(`lastcall: ${visible(fault.message, { multiline: true })}`);
    return faultCode(fault);
  }
}

/** An order that config files have a say in. */
type ConfiguredOrder = Extract<Order, { readonly do: "run" | "resume" | "chat" | "agents" | "serve" | McpOrder["do"] }>;

function usesConfig(order: Order): order is ConfiguredOrder {
  return ["run", "resume", "chat", "agents", "serve", "mcp-list", "mcp-test", "mcp-serve"].includes(order.do);
}

/**
 * The options that config files set, and the files that nobody trusts. A list of servers asks nobody: it says which files nobody trusts.
 */
async function configFor(
  settings: Settings,
  around: Surroundings,
): Promise<{ readonly config: Values; readonly untrusted: readonly FolderFile[] }> {
  const { env, signal } = around;
  const { workdir, config, noConfig, noInput, order, mcp, noMcp, agents, noAgents } = settings;
  const isList = order.do === "mcp-list" || order.do === "agents";
  const person = noInput || isList ? undefined : personIn(around);
  const { readConfig } = await import("./args/config.js");
  const untrusted: FolderFile[] = [];
  const values = await readConfig({
    workdir,
    named: noConfig ? "none" : config,
    wantsServers: mcp.length === 0 && !noMcp,
    wantsAgents: agents.length === 0 && !noAgents && order.do !== "mcp-list" && order.do !== "mcp-test",
    env,
    ...(around.files && { files: around.files }),
    say: await sayer(around),
    confirm: person && ((question) => confirm(person, question, signal)),
    untrusted: (files) => untrusted.push(...files),
  });
  return { config: values, untrusted };
}

/** The parts that single orders need. */
interface Besides {
  /** The settings for a session, from the options that it keeps and this command line. */
  readonly settingsWith: (kept: KeptOptions) => Settings;
  readonly untrusted?: readonly FolderFile[];
}

async function obey(
  settings: Settings,
  around: Surroundings,
  { settingsWith, untrusted = [] }: Besides,
): Promise<number> {
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
    case "agents":
      return (await import("./delegates/list-agents.js")).listAgents(settings, around, untrusted);
    case "serve":
    case "studio":
      return (await import("./serve/serve-sessions.js")).serveSessions(settings, around, settingsWith);
    case "store-migrate":
      return (await import("./sessions/on-sessions.js")).migrateTables(settings, around);
    case "mcp-list":
      return (await import("./mcp/list-servers.js")).listServers(settings, around, untrusted);
    case "mcp-test":
      return (await import("./mcp/test-server.js")).testServer(settings, around, order);
    case "mcp-serve":
      return (await import("./mcp/serve-agent.js")).serveAgent(settings, around);
  }
}
