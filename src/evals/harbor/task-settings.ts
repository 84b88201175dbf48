// The settings of a Harbor task: what task.toml asks for, and what of it a work folder on this machine can't give.

import { availableParallelism, totalmem } from "node:os";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";

/** The settings that are followed. */
export interface TaskSettings {
  /** The work folder that stands in place of the Dockerfile's. */
  readonly folder: string | undefined;
  /** A ready-made image in place of a Dockerfile. */
  readonly image: string | undefined;
  readonly hasNetwork: boolean;
  /** Milliseconds that the tests may take. */
  readonly timeout: number;
  /** The variables of the tests, and of the reference solution. */
  readonly testVariables: Readonly<Record<string, string>>;
  readonly solutionVariables: Readonly<Record<string, string>>;
  /** The reasons for which this machine can't try the task. */
  readonly unmet: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

/** Harbor's own limit for the tests, in seconds. */
const usualSeconds = 600;

/**
 * Reads the text of a task.toml.
 * @throws LastcallError `configuration` if it is no TOML.
 */
export function readSettings(text: string, file: string, parse: (text: string) => unknown): TaskSettings {
  const table = parsed(text, file, parse);
  const unmet: string[] = [];
  const at = (...path: readonly string[]): unknown =>
    path.reduce<unknown>((found, name) => (isPlainObject(found) ? found[name] : undefined), table);
  const refuse = (is: boolean, why: string): void => {
    if (is) unmet.push(why);
  };
  const version = written(at("schema_version") ?? at("version") ?? "1");
  refuse(!/^1(?:\.|$)/.test(version), `its format is ${version}, and 1 is read here`);
  refuse(filled(at("steps")), "it has several steps");
  refuse(filled(at("environment", "mcp_servers")), "it needs MCP servers");
  refuse(at("environment", "healthcheck") !== undefined, "it needs a service that is checked first");
  refuse(filled(at("environment", "env")), "its commands need variables, which the agent's commands would not have");
  refuse(at("environment", "skills_dir") !== undefined, "it brings skills for the agent");
  refuse(/^windows$/i.test(written(at("environment", "os"))), "it needs Windows");
  refuse(numberOf(at("environment", "gpus")) > 0, "it needs a GPU");
  refuse(at("environment", "tpu") !== undefined, "it needs a TPU");
  const [cpus, memory] = [numberOf(at("environment", "cpus")), memoryOf(at("environment"))];
  refuse(cpus > availableParallelism(), `it needs ${String(cpus)} processors`);
  refuse(memory > totalmem() / 1024 / 1024, `it needs ${String(memory)} MB of memory`);
  refuse(at("environment", "network_mode") === "allowlist", "it allows some hosts of the network and no others");
  refuse(filled(at("agent", "allowed_hosts")), "it allows the agent some hosts of the network and no others");
  refuse(user(at("agent", "user")) || user(at("verifier", "user")), "it needs several users");
  const isApart = at("verifier", "environment") !== undefined || at("verifier", "environment_mode") === "separate";
  refuse(isApart, "its tests need a container of their own");
  refuse(filled(at("verifier", "collect")), "its tests need the state of a running service");
  const isOff = at("environment", "network_mode") === "no-network" || at("environment", "allow_internet") === false;
  return {
    folder: textOf(at("environment", "workdir")),
    image: textOf(at("environment", "docker_image")),
    hasNetwork: !isOff,
    timeout: (numberOf(at("verifier", "timeout_sec")) || usualSeconds) * 1000,
    testVariables: variablesOf(at("verifier", "env"), unmet),
    solutionVariables: variablesOf(at("solution", "env"), unmet),
    unmet,
  };
}

function parsed(text: string, file: string, parse: (text: string) => unknown): Table {
  try {
    const read = parse(text);
    return isPlainObject(read) ? read : {};
  } catch (thrown) {
    throw new LastcallError("configuration", `${file} is no TOML: ${explain(thrown).trim()}`, { cause: thrown });
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const written = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);
const filled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.keys(value).length > 0;
const user = (value: unknown): boolean => value !== undefined && value !== "root" && value !== 0;

/** Megabytes: `memory_mb`, or the older `memory = "2G"`. */
function memoryOf(environment: unknown): number {
  if (!isPlainObject(environment)) return 0;
  const [, amount = "0", unit = "M"] = /^([\d.]+)\s*([GMK])$/i.exec(written(environment["memory"])) ?? [];
  const factor = { G: 1024, M: 1, K: 1 / 1024 }[unit.toUpperCase()] ?? 1;
  return numberOf(environment["memory_mb"]) || Number(amount) * factor;
}

/** The variables, with `${NAME}` and `${NAME:-otherwise}` taken from this process. */
function variablesOf(value: unknown, unmet: string[]): Readonly<Record<string, string>> {
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, stated]) => {
      const text = String(stated);
      const [, from, otherwise] = /^\$\{([^}:]+)(?::-(.*))?\}$/.exec(text) ?? [];
      const found = from === undefined ? text : (process.env[from] ?? otherwise);
      if (found === undefined) unmet.push(`it needs the variable ${String(from)}, which is not set`);
      return [name, found ?? ""];
    }),
  );
}
