// Expands the variables in a server's entry of an MCP file, as other agents do: ${NAME} and ${NAME:-default}.

import { dirname, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import type { McpOptions } from "../../mcp/index.js";
import type { StatedServer } from "./stated-server.js";

/** The environment of the process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A server with its variables expanded, as `mcpTools` takes it. */
export type ExpandedServer = Pick<
  McpOptions,
  "name" | "command" | "args" | "env" | "cwd" | "url" | "headers" | "only" | "trust" | "timeout" | "beforeStart"
>;

/**
 * Expands the texts of a server. A local server starts in the workspace. A relative `cwd` is resolved from the folder of the MCP file.
 * @throws LastcallError `configuration` if a variable is not set or is misspelled. The message names the file, the server and the field.
 */
export function expandServer(stated: StatedServer, env: Variables, workdir: string): ExpandedServer {
  const { name, source, command, args, env: ownEnv, cwd, url, headers, only, trust, timeout } = stated;
  const expand = (field: string, text: string): string => expandText(text, env, { source, name, field });
  const byName = (field: string, texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(`${field}.${key}`, text)]));
  return {
    name,
    ...(command !== undefined && {
      command: expand("command", command),
      cwd: cwd === undefined ? workdir : resolve(dirname(source), expand("cwd", cwd)),
    }),
    ...(args && { args: args.map((text, index) => expand(`args[${String(index)}]`, text)) }),
    ...(ownEnv && { env: byName("env", ownEnv) }),
    ...(url !== undefined && { url: expand("url", url) }),
    ...(headers && { headers: byName("headers", headers) }),
    ...(only && { only }),
    ...(trust !== undefined && { trust }),
    ...(timeout !== undefined && { timeout }),
  };
}

/** The place of a text, for messages. */
interface Place {
  readonly source: string;
  readonly name: string;
  readonly field: string;
}

/** The value of a variable with any name. An object of variables has the members of all objects besides. */
export function variableIn(env: Variables, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function expandText(text: string, env: Variables, { source, name, field }: Place): string {
  const wrong = (problem: string): LastcallError =>
    new LastcallError("configuration", `${source}: the server ${JSON.stringify(name)}: ${field} ${problem}`);
  return text.replaceAll(/\$\{([^}]*)\}/g, (whole, inner: string) => {
    const [, variable, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (variable === undefined)
      throw wrong(`has ${whole}, which is not the name of a variable: write \${NAME} or \${NAME:-default}.`);
    // A default ends at the first }, so a default with braces would lose its end where the variable is set.
    if (fallback?.includes("{") === true)
      throw wrong(
        `has the variable ${variable} with a brace in its default: set the variable, and write \${${variable}}.`,
      );
    const value = variableIn(env, variable);
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value !== undefined) return value;
    throw wrong(
      `needs the variable ${variable}, which is not set. Set it, write \${${variable}:-default}, or leave the servers out with --no-mcp.`,
    );
  });
}

/**
 * The texts of a server that are likely secrets: values of headers and variables with a name such as token, key or password. Values of less
 * than 8 characters are left out.
 */
export function serverSecrets({ env = {}, headers = {} }: ExpandedServer): readonly string[] {
  const isSecret = (name: string): boolean => /(?:key|token|secret|password|passwd|credentials?)$/i.test(name);
  const headerSecrets = Object.entries(headers).flatMap(([name, value]) =>
    isSecret(name) || /^(?:proxy-)?authorization$|^cookie$/i.test(name) ? [value, value.split(" ").at(-1) ?? ""] : [],
  );
  const variableSecrets = Object.entries(env).flatMap(([name, value]) => (isSecret(name) ? [value] : []));
  return [...new Set([...headerSecrets, ...variableSecrets])].filter((value) => value.length >= 8);
}
