// Prepares the common needs of a task and a conversation from the settings: model, secrets, instructions, limits.

import { join, resolve } from "node:path";
import { LastcallError, redactor, type Model } from "../../core/index.js";
import type { StatedAgent } from "../agent-files/stated-agent.js";
import type { AgentNeeds } from "./make-agent.js";
import { ownPaths, type Rights, type Settings } from "../args/args.js";
import { printed } from "../args/options.js";
import type { EventLog } from "../show/event-log.js";
import { keptRules } from "../args/kept-rules.js";
import { joinLimits, withPrices } from "../args/limits.js";
import type { Person } from "../person/person.js";
import { telemetryFor, type Telemetry } from "./telemetry.js";
import { secretsIn, type Surface, type Surroundings } from "../person/surface.js";
import type { ExpandedServer } from "../mcp-config/expand-server.js";
import type { OpenServers } from "../mcp-config/open-servers.js";
import type { Place } from "../code/program-files.js";
import { lineFiles, startable, type CodePlace } from "../code/server-files.js";
import { ReadOnce } from "../display/read-once.js";

/** The prepared parts. */
export interface Prepared {
  /** The needs of the agent; the caller adds the approver. */
  readonly needs: Omit<AgentNeeds, "approver">;
  /** Makes another model of the same server. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string) => Model;
  /** The event log; undefined for none. */
  readonly events: EventLog | undefined;
  /** Ends the MCP servers, and closes the event log and telemetry that was started here. The caller waits for it at the end. */
  close(): Promise<void>;
}

/** The person to ask, the surface to print to, and the watchers. */
interface Contact {
  readonly person: Person | undefined;
  readonly surface: Pick<Surface, "say" | "style">;
  /** Prints a line of the event log, for `--log -`. Default: the command has something else on its standard output. */
  readonly print?: ((line: string) => void) | undefined;
  /** The telemetry of a command that prepares many agents, and closes it itself. Default: one is started, and closed with these parts. */
  readonly telemetry?: Telemetry | undefined;
  /** The model, if the caller has one. Default: the options, the module or the environment name it. */
  readonly model?: Model | undefined;
}

/**
 * Prepares a task or a conversation.
 * @throws LastcallError `configuration` or `authentication` if a file, a module, the model or its key can't be used.
 */
export async function prepare(settings: Settings, around: Surroundings, contact: Contact): Promise<Prepared> {
  const { surface } = contact;
  const { env } = around;
  const [{ loadModules }, { workplaceFor }, { modelFor }, { storeFolder }, { capChecks, changesFor }] =
    await Promise.all([
      import("../modules/modules.js"),
      import("./workplace-for.js"),
      import("./model-for.js"),
      import("../sessions/sessions.js"),
      import("../sessions/session-changes.js"),
    ]);
  const workdir = resolve(settings.workdir);
  const guarded = [storeFolder(settings.sessions, env), ...ownPaths(settings)];
  const code: CodePlace = { workdir, env, files: around.files ?? new ReadOnce() };
  const loaded = await loadModules({ ...settings, workdir }, code.files);
  const { servers, names, files, asked } = await statedFor(settings, code, surface);
  const agents = await agentsFor(settings, code.files);
  const agentsLeftOut = await agentsLeftOutOf(settings, code);
  const lines = await Promise.all(
    [...settings.onEdit, ...settings.hook].map(({ command }) => lineFiles(command, code)),
  );
  const kept = [...files, ...agents.map(({ source }) => source), ...lines.flatMap((one) => one.kept)];
  const modules = { ...loaded, files: [...loaded.files, ...kept], asked: [...loaded.asked, ...asked] };
  const changes = records(settings) ? changesFor(workdir, settings, { env, say: surface.say }) : undefined;
  const caps = runsTasks(settings) ? capChecks(settings, changes, { env }) : [];
  const places = { root: workdir, guarded, modules, changes };
  const place = once((rights: Rights) => workplaceFor({ ...settings, rights }, places));
  const { definition } = await place(settings.rights);
  const {
    model,
    modelNamed,
    apiKey,
    window,
    close: closeModel,
  } = await modelFor(settings, definition, { around, ...contact });
  const opened = await open({ servers, names, changes }, settings, around, surface).catch(async (thrown: unknown) => {
    await closeModel();
    throw thrown;
  });
  const secrets = [...secretsIn(env, apiKey), ...opened.secrets];
  let events: EventLog | undefined;
  let own: Telemetry | undefined;
  const close = async (): Promise<void> => {
    events?.close();
    await Promise.all([opened.close(), own?.close(), closeModel()]);
  };
  try {
    if (settings.log !== undefined) events = await eventsTo(settings.log, secrets, contact);
    const guidance = await guidanceFor(settings, surface);
    const { given } = settings;
    const limits = joinLimits(
      { given, limits: await withPrices(settings.limits, settings.prices) },
      definition?.limits,
    );
    if (contact.telemetry === undefined) own = await telemetryFor(env, surface.say);
    const { hook: telemetry } = contact.telemetry ?? own ?? {};
    const chosen = settings.noConfig ? undefined : await keptRules({ workdir, env });
    const found = {
      workdir,
      chosen,
      model,
      guidance,
      limits,
      window,
      secrets,
      guarded,
      modules: modules.files,
      asked: modules.asked,
    };
    const tell = settings.quiet ? undefined : surface.say;
    const others = { tell, agents, agentsLeftOut, modelNamed, telemetry, changes, caps, servers: opened };
    const needs = { settings, ...found, ...others, workplaceFor: place };
    return { needs, modelNamed, events, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/**
 * True if what the runs change is recorded: a run that nobody keeps can't be named later, the folders of rivals go, and a replay and a
 * review change nothing here.
 */
function records({ order, noSave, bestOf, review }: Settings): boolean {
  return (
    !noSave && !review && bestOf === undefined && order.do !== "replay" && order.do !== "bisect" && runsTasks({ order })
  );
}

/** False for a list of agents or servers. */
function runsTasks({ order }: Pick<Settings, "order">): boolean {
  return order.do !== "agents" && order.do !== "mcp-list";
}

/** The MCP servers of a run, the files that state them or that they run, and places of which files take part in them. */
interface ServersOfRun {
  readonly servers: readonly ExpandedServer[];
  /** The names of all servers in the files, also of servers that are left out. */
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly asked: readonly Place[];
}

/**
 * Reads the MCP servers of the settings. A server that can't be started as it is stated is told, and left out.
 * @throws LastcallError `configuration` that names the file, if it holds no servers.
 */
async function statedFor({ mcp }: Settings, code: CodePlace, { say }: Pick<Surface, "say">): Promise<ServersOfRun> {
  if (mcp.length === 0) return { servers: [], names: [], files: [], asked: [] };
  const [{ readServers, serverNamesIn }, { problemOf }] = await Promise.all([
    import("../mcp-config/stated-server.js"),
    import("../mcp-config/open-servers.js"),
  ]);
  const lists = mcp.map((path) => resolve(path));
  const stated = await readServers(lists, { files: code.files, say });
  const made = await Promise.all(
    stated.map((server) =>
      startable(server, code).catch((thrown: unknown) => {
        say(`${problemOf(server.name, thrown)} Its tools are missing.`);
        return undefined;
      }),
    ),
  );
  const started = made.filter((one) => one !== undefined);
  const read = await Promise.all(lists.map((path) => code.files.settings(path)));
  return {
    servers: started.map(({ server }) => server),
    names: read.flatMap((file) => (file === undefined ? [] : serverNamesIn(file))),
    files: [...lists, ...started.flatMap(({ program }) => program.kept)],
    asked: started.flatMap(({ program }) => program.asked),
  };
}

/** The agents in files. */
async function agentsFor({ agents }: Settings, files: ReadOnce): Promise<readonly StatedAgent[]> {
  if (agents.length === 0) return [];
  const { readAgents } = await import("../agent-files/agent-files.js");
  return readAgents(
    agents.map((path) => resolve(path)),
    files,
  );
}

/** The names of agents that rules may be about although the run leaves the agents out. None if there is no rule. */
async function agentsLeftOutOf(
  { rights, agentsLeftOut }: Settings,
  { workdir, env, files }: CodePlace,
): Promise<readonly string[]> {
  if (rights.allow.length + rights.deny.length === 0) return [];
  const [{ agentFolder }, { agentNames }, { homeOf }] = await Promise.all([
    import("../agent-files/agent-files.js"),
    import("../agent-files/left-out-agents.js"),
    import("../args/config.js"),
  ]);
  const folders = [agentFolder(workdir), join(homeOf({ env }), "agents")];
  return agentNames({ folders, paths: agentsLeftOut.map((path) => resolve(path)) }, files);
}

/** Opens the servers. The effects of their tools are not known, so a dry run has none. */
async function open(
  { servers, names, changes }: Pick<ServersOfRun, "servers" | "names"> & Pick<AgentNeeds, "changes">,
  { rights, quiet }: Settings,
  { signal, env }: Surroundings,
  { say, style }: Pick<Surface, "say" | "style">,
): Promise<OpenServers> {
  const { openServers } = await import("../mcp-config/open-servers.js");
  const note = (line: string): void => {
    if (!quiet) say(style.dim(line));
  };
  if (rights.dryRun && servers.length > 0) note("A dry run starts no MCP servers: their tools are missing.");
  return openServers(rights.dryRun ? [] : servers, {
    ...{ names, say, note, signal },
    ...(changes !== undefined && { record: (source) => changes.recordedSource(source) }),
    signIns: async () => (await import("../person/sign-in.js")).commandSignIns(env),
  });
}

/** Keeps what a function made, so that it makes one thing for each argument. */
function once<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/**
 * Opens the event log.
 * @throws LastcallError `configuration` if the file can't be written, or if the command can't print events.
 */
async function eventsTo(
  path: string,
  secrets: readonly string[],
  { surface, print }: Pick<Contact, "surface" | "print">,
): Promise<EventLog> {
  const { openEventLog, printedEvents } = await import("../show/event-log.js");
  if (path !== printed) return openEventLog(path, { secrets: redactor({ values: secrets }), say: surface.say });
  if (print !== undefined) return printedEvents(print, redactor({ values: secrets }));
  throw new LastcallError(
    "configuration",
    "--log - prints the events of a task to standard output, and this command has something else there. Name a file: --log FILE.",
  );
}

/** The instructions from files. The person is told which files are used. */
async function guidanceFor(
  { workdir, instructions: named, noAgentsMd, quiet }: Settings,
  { say, style }: Pick<Surface, "say" | "style">,
): Promise<string> {
  const { findInstructions } = await import("./instructions.js");
  const { prompt, used, problems } = await findInstructions({ workdir, named, usesFolder: !noAgentsMd });
  if (!quiet)
    used.forEach((line) => {
      say(style.dim(line));
    });
  problems.forEach(say);
  return prompt;
}
