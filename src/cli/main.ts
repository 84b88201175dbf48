// The command: settings in, exit code out. It wires the parts together and does nothing itself.

import { asFault } from "../core/internal.js";
import { about } from "./about.js";
import { agentOrders } from "./args/command-names.js";
import { expectComplete, isTries, readSettings, type Settings } from "./args/args.js";
import { faultCode } from "./show/ending.js";
import type { FilePlaces } from "./args/config.js";
import type { Values } from "./args/option-table.js";
import type { Order } from "./args/order.js";
import { noPage } from "./args/help.js";
import { parseOptions, wrong, type KeptOptions, type Words } from "./args/options.js";
import { storeIn, type Sources } from "./args/sources.js";
import type { FolderFile } from "./args/trust.js";
import { confirm } from "./person/person.js";
import { personIn, sayer, type Surroundings } from "./person/surface.js";
import { ReadOnce } from "./display/read-once.js";
import { visible } from "./display/visible.js";

/** Runs the command. Returns the exit code; a fault is printed to standard error. */
export async function main(argv: readonly string[], process: Surroundings): Promise<number> {
  const around: Surroundings = { ...process, files: new ReadOnce() };
  try {
    return await runWords(parseOptions(argv), around);
  } catch (thrown) {
    const fault = asFault(thrown);
    const say = await sayer(around);
    say(`lastcall: ${visible(fault.message, { multiline: true })}`);
    return faultCode(fault);
  }
}

/** Obeys the words of a command line. */
async function runWords(words: Words, around: Surroundings): Promise<number> {
  const settings = readSettings(words);
  const { order } = settings;
  const alone: readonly Order["do"][] = ["help", "version", "demo", "docs", "docs-mcp", "init", "job"];
  if (alone.includes(order.do)) return obey(settings, around, { words, settingsWith: () => settings });
  const { kept, config, untrusted } = await sourcesFor(settings, words, around);
  const joined = readSettings(words, { kept, config });
  expectComplete(joined);
  const store = storeIn(config);
  const settingsWith = (of: KeptOptions): Settings => readSettings(words, { kept: of, config: store });
  return obey(joined, around, { words, settingsWith, untrusted });
}

/** The options from elsewhere than the command line, and the files that nobody trusts. */
interface Found extends Required<Sources> {
  readonly untrusted: readonly FolderFile[];
}

/**
 * Finds the options of the session and of config files. All orders look in the same store: it is read before anything else, without a
 * person. An order about stored sessions takes nothing else from config files.
 */
async function sourcesFor(given: Settings, words: Words, around: Surroundings): Promise<Found> {
  const { order } = given;
  const id = "id" in order ? order.id : undefined;
  const say = await onceEach(around);
  if (usesConfig(order) && id === undefined) return { kept: {}, ...(await configFor(given, around, say)) };
  const { readStore } = await import("./args/config.js");
  const isGiven = given.sessions !== undefined || given.store !== undefined;
  const store = isGiven ? {} : await readStore({ ...filesOf(given, around), say });
  if (!usesConfig(order) || id === undefined) return { kept: {}, config: store, untrusted: [] };
  const { keptFor } = await import("./sessions/on-sessions.js");
  const kept = await keptFor(readSettings(words, { config: store }), id, around);
  const { config, untrusted } = await configFor(readSettings(words, { kept }), around, say);
  const { sessions: _sessions, store: _store, ...others } = config;
  return { kept, config: { ...others, ...store }, untrusted };
}

/** Prints each line once: the same file may be looked at twice. */
async function onceEach(around: Surroundings): Promise<(line: string) => void> {
  const say = await sayer(around);
  const said = new Set<string>();
  return (line) => {
    if (!said.has(line)) say(line);
    said.add(line);
  };
}

/** True if config files have a say in more than the place of the sessions. */
function usesConfig(order: Order): boolean {
  const names: readonly Order["do"][] = [...agentOrders, "agents", "mcp-list", "mcp-test", "schedule"];
  return names.includes(order.do);
}

/** The places of config files. */
function filesOf({ workdir, config, noConfig }: Settings, { env, files }: Surroundings): FilePlaces {
  return { workdir, named: noConfig ? "none" : config, env, ...(files && { files }) };
}

/**
 * The options that config files set, and the files that nobody trusts. A list of servers asks nobody: it says which files nobody trusts.
 */
async function configFor(
  settings: Settings,
  around: Surroundings,
  say: (line: string) => void,
): Promise<{ readonly config: Values; readonly untrusted: readonly FolderFile[] }> {
  const { noInput, order, mcp, noMcp, agents, noAgents } = settings;
  const isList = order.do === "mcp-list" || order.do === "agents";
  const isJob = order.do === "run" && order.job !== undefined;
  const person = noInput || isList || isJob ? undefined : personIn(around);
  const { readConfig } = await import("./args/config.js");
  const hasAgents = order.do !== "mcp-list" && order.do !== "mcp-test" && order.do !== "schedule";
  const untrusted: FolderFile[] = [];
  const values = await readConfig({
    ...filesOf(settings, around),
    wantsServers: mcp.length === 0 && !noMcp && order.do !== "schedule",
    wantsAgents: agents.length === 0 && !noAgents && hasAgents,
    say,
    confirm: person && ((question) => confirm(person, question, around.signal)),
    untrusted: (files) => untrusted.push(...files),
  });
  return { config: values, untrusted };
}

/** The parts that single orders need. */
interface Besides {
  /** The words of the command line. */
  readonly words: Words;
  /** The settings for a session, from the options that it keeps and this command line. */
  readonly settingsWith: (kept: KeptOptions) => Settings;
  readonly untrusted?: readonly FolderFile[];
}

async function obey(
  settings: Settings,
  around: Surroundings,
  { words, settingsWith, untrusted = [] }: Besides,
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
    case "init":
      return (await import("./init/run-init.js")).runInit(settings, around, order.folder);
    case "job": {
      const { jobWords } = await import("./job.js");
      // A job is all that its file says: no material comes from standard input.
      return runWords(await jobWords(words, order.file, around.files), { ...around, isInputPiped: false });
    }
    case "run":
    case "resume":
      if (isTries(settings)) return (await import("./tries/start-tries.js")).startTries(settings, around, order);
      return (await import("./task/start-task.js")).startTask(settings, around, order);
    case "chat":
      return (await import("./chat/run-chat.js")).runChat(settings, around, order.id);
    case "review":
      return (await import("./review/start-review.js")).startReview(settings, around, order);
    case "list":
    case "show":
    case "import":
    case "fork":
    case "prune":
    case "repair":
      return (await import("./sessions/on-sessions.js")).tellOf(order, settings, around);
    case "stats":
      return (await import("./sessions/stats-table.js")).tellStats(order.id, settings, around);
    case "verify":
      return (await import("./sessions/verify-session.js")).tellVerdicts(order.id, settings, around);
    case "diff":
    case "undo":
    case "redo":
      return (await import("./sessions/session-changes.js")).turnBack(order, settings, around);
    case "replay":
      return (await import("./replay/replay-session.js")).runReplay(settings, around, order.id);
    case "bisect":
      return (await import("./replay/bisect-session.js")).runBisect(settings, around, order.id);
    case "eval":
      return (await import("./eval/run-eval.js")).runEvaluation(settings, around, order.file);
    case "agents":
      return (await import("./delegates/list-agents.js")).listAgents(settings, around, untrusted);
    case "serve":
    case "studio":
      return (await import("./serve/serve-sessions.js")).serveSessions(settings, around, settingsWith);
    case "work":
      return (await import("./work/work-for-others.js")).workForOthers(settings, around);
    case "schedule":
      return (await import("./work/tell-schedule.js")).tellSchedule(order.plan, settings, around);
    case "docs":
      return (await import("./docs/tell-docs.js")).tellDocs(settings, around, order.words);
    case "docs-mcp":
      return (await import("./docs/serve-docs.js")).serveDocs(around);
    case "cassette-check":
      return (await import("./cassette/check-file.js")).checkFile(settings, around, order.file);
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
