// Finds the model to use: the named model, the default of the server, or the model of a server on this machine.

import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { defaultModel, knownServers } from "../../model/index.js";
import type { Settings } from "../args/args.js";
import { variableIn } from "../mcp-config/expand-server.js";
import { providers, providersWithKey, type OtherProvider } from "./known-providers.js";

/** A server on this machine, and its models. */
export interface LocalServer {
  readonly name: string;
  readonly baseURL: string;
  readonly models: readonly string[];
}

/** Servers for this machine, at their usual addresses. */
const usualServers: readonly Omit<LocalServer, "models">[] = knownServers.filter(({ baseURL }) =>
  baseURL.startsWith("http://127.0.0.1"),
);

/** A model, and where it is. */
export interface FoundModel {
  readonly model: string;
  /** The provider whose key decided. Absent for servers that speak OpenAI's API. */
  readonly provider?: OtherProvider;
  readonly baseURL?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The environment of the search. */
export interface ModelSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The local servers to look for. Default: `usualServers`. */
  readonly servers?: readonly Omit<LocalServer, "models">[];
  /** Asks whether to use a local server; undefined if nobody can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly say: (line: string) => void;
}

/**
 * Finds the model: the settings name it, else `OPENAI_MODEL`, else it is a default. A named model is never replaced by another: a
 * named server gets the name unchecked, and a server found on this machine must list it.
 * @throws LastcallError `authentication` without a key or a server, with the ways to get one.
 */
export async function findModel(settings: Settings, around: ModelSearch): Promise<FoundModel> {
  const { env } = around;
  const variable = (name: string): string | undefined => (env[name]?.trim() === "" ? undefined : env[name]);
  const baseURL = settings.baseUrl ?? variable("OPENAI_BASE_URL");
  const key = settings.apiKeyEnv === undefined ? undefined : keyFrom(settings.apiKeyEnv, env);
  const hasKey = key !== undefined || variable("OPENAI_API_KEY") !== undefined;
  const named = settings.model ?? variable("OPENAI_MODEL");
  if (baseURL === undefined && !hasKey) return (await ofAnotherMaker(settings, around)) ?? local(named, around);
  return {
    model: named ?? (await firstModel(baseURL, around)) ?? defaultModel,
    baseURL,
    apiKey: key,
  };
}

function keyFrom(name: string, env: ModelSearch["env"]): string {
  const key = variableIn(env, name);
  if (key !== undefined && key !== "") return key;
  throw new LastcallError(
    "authentication",
    `--api-key-env ${name}: there is no such variable, or it is empty. Set it, or name another.`,
  );
}

/** The first model of a local server, which does not have our default. The choice is printed. Undefined for other servers. */
async function firstModel(baseURL: string | undefined, { say }: ModelSearch): Promise<string | undefined> {
  if (baseURL === undefined || !isLocal(baseURL)) return undefined;
  const [model] = (await listModels(baseURL, 1000)) ?? [];
  if (model !== undefined) say(`No model named: using ${model}, the first that ${baseURL} has.`);
  return model;
}

/** True for the address of a server on this machine. */
export function isLocal(baseURL: string): boolean {
  return URL.canParse(baseURL) && /^(?:localhost$|127\.\d+\.\d+\.\d+$|\[::1\])/.test(new URL(baseURL).hostname);
}

/**
 * The model of another maker, if the environment has the key of exactly one. A named model that a server on this machine lists is not
 * asked of somebody else, and `OPENAI_MODEL` names a model of a server that speaks OpenAI's API.
 */
async function ofAnotherMaker(
  settings: Settings,
  { env, servers = usualServers, say }: ModelSearch,
): Promise<FoundModel | undefined> {
  const [provider, ...others] = providersWithKey(env);
  const { model: named } = settings;
  const isOpenAIs = settings.provider !== undefined || (named === undefined && (env["OPENAI_MODEL"] ?? "") !== "");
  if (provider === undefined || others.length > 0 || isOpenAIs) return undefined;
  if (named !== undefined && (await findServers(servers)).some(({ models }) => models.includes(named)))
    return undefined;
  const model = named ?? providers[provider].model;
  say(`${providers[provider].key} is set: using ${model} of ${provider}.`);
  return { model, provider };
}

async function local(
  named: string | undefined,
  { env, servers = usualServers, confirm, say }: ModelSearch,
): Promise<FoundModel> {
  const found = await findServers(servers);
  const server = found.find(({ models }) => named === undefined || models.includes(named));
  const model = named ?? server?.models[0];
  if (server === undefined || model === undefined) throw noModel(env, missing(named, found));
  const offer = `${server.name} on this machine (${server.baseURL}) with the model ${model}`;
  if (confirm !== undefined && !(await confirm(`There is no key. Use ${offer}?`))) throw noModel(env);
  if (confirm === undefined) say(`There is no key: using ${offer}.`);
  return { model, baseURL: server.baseURL };
}

/** Milliseconds within which a server on this machine lists its models. A port without a server refuses at once. */
const localTimeout = 500;

/** The servers that list their models within `localTimeout`. */
export async function findServers(servers: readonly Omit<LocalServer, "models">[]): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    servers.map(async (server) => ({ ...server, models: (await listModels(server.baseURL, localTimeout)) ?? [] })),
  );
  return found.filter(({ models }) => models.length > 0);
}

async function listModels(baseURL: string, timeout: number): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${baseURL}/models`, { signal: AbortSignal.timeout(timeout), redirect: "error" });
    const body: unknown = await response.json();
    if (!response.ok || !isPlainObject(body) || !Array.isArray(body["data"])) return undefined;
    return body["data"].flatMap((entry) =>
      isPlainObject(entry) && typeof entry["id"] === "string" ? [entry["id"]] : [],
    );
  } catch {
    return undefined;
  }
}

/** The message for a named model that no local server lists. */
function missing(named: string | undefined, found: readonly LocalServer[]): string {
  if (named === undefined || found.length === 0) return "There is no model to ask.";
  const others = found.map(({ name, models }) => `${name} has ${models.slice(0, 5).join(", ")}`).join("; ");
  return `No server on this machine lists the model ${named} (--model or OPENAI_MODEL): ${others}.`;
}

function noModel(env: ModelSearch["env"], why = "There is no model to ask."): LastcallError {
  const [provider] = providersWithKey(env);
  const hint = provider && `lastcall --provider ${provider} "task"`;
  const names = usualServers.map(({ name }) => name).join(", ");
  return new LastcallError(
    "authentication",
    `${why} Three ways to get one:
  1. a key:           export OPENAI_API_KEY=...
  2. another server:  lastcall --base-url URL --model NAME [--api-key-env NAME] "task"
  3. a local server:  start ${names} on its usual port, with a model that can call tools${hint === undefined ? "" : `\n  Another maker:     ${hint}`}
Or run lastcall without a task to see the demo.`,
  );
}
