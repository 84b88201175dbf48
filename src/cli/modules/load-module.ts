// Loads a module of the user's into this process, with a message that says what to do if that fails.

import { stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { visible } from "../display/visible.js";

/** The exports of a module by their names. */
export type Exports = Readonly<Record<string, unknown>>;

/** The endings of modules. */
const endings: readonly string[] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/**
 * Loads the module with this absolute path.
 * @throws LastcallError `configuration` if there is no such file, if Node can't load it, or if it throws. A LastcallError that it throws
 * keeps its code.
 */
export async function loadModule(path: string): Promise<Exports> {
  await expectModule(path);
  let loaded: Exports;
  try {
    loaded = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Exports;
  } catch (thrown) {
    throw refusal(path, thrown);
  }
  // A module that a compiler wrote in CommonJS has its exports within the default export.
  const { default: whole } = loaded;
  return isCompiled(whole) ? whole : loaded;
}

/**
 * Calls a function of a module, and waits for its value.
 * @throws LastcallError as `loadModule` does, if the function throws.
 */
export async function callIn<Value>(path: string, call: () => Value): Promise<Awaited<Value>> {
  try {
    return await call();
  } catch (thrown) {
    throw fault(thrown, `${visible(path)}: its function threw ${wordsOf(thrown, path)}`);
  }
}

function isCompiled(whole: unknown): whole is Exports {
  return typeof whole === "object" && whole !== null && (whole as Exports)["__esModule"] === true;
}

async function expectModule(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const shown = visible(path);
  if (found === undefined) throw wrong(`${shown}: there is no such file.`);
  if (!found.isFile()) throw wrong(`${shown} is no file, and a module has to be one.`);
  if (!endings.includes(extname(path)))
    throw wrong(`${shown} is no module: its name has to end with ${endings.join(", ")}.`);
}

/** The error for a module that can't be loaded. */
function refusal(path: string, thrown: unknown): LastcallError {
  const shown = visible(path);
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  const said = explain(thrown);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[mc]?ts\b/.test(said))
    return wrong(
      `${shown} is TypeScript, which Node ${process.versions.node} does not run. Use Node 22.18 or later, or compile the module to JavaScript, or install tsx and set NODE_OPTIONS="--import tsx".`,
      thrown,
    );
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" || code === "ERR_INVALID_TYPESCRIPT_SYNTAX")
    return wrong(
      `${shown} can't be loaded: ${ended(said)} Node removes types and does no more. Write it without that syntax, or compile the module to JavaScript.`,
      thrown,
    );
  if (thrown instanceof SyntaxError)
    return wrong(
      `${shown} can't be loaded: SyntaxError: ${ended(said)} To see the place: node --check ${shown}`,
      thrown,
    );
  const name = /Cannot find package '([^']+)'/.exec(said)?.[1];
  if (code === "ERR_MODULE_NOT_FOUND" && name !== undefined)
    return wrong(
      `${shown} imports ${name}, which is not installed there. Install it: cd ${dirname(shown)} && npm install ${name}`,
      thrown,
    );
  return fault(thrown, `${shown} can't be loaded: ${wordsOf(thrown, path)}`);
}

/** The error that was thrown, and its place in the module if the stack has it. */
function wordsOf(thrown: unknown, path: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const at = stack.split(pathToFileURL(path).href)[1];
  const line = at === undefined ? undefined : /^:(\d+)/.exec(at)?.[1];
  const place = line === undefined ? "" : ` (line ${line})`;
  const kind = thrown instanceof Error && thrown.name !== "LastcallError" ? `${thrown.name}: ` : "";
  return ended(visible(`${kind}${explain(thrown)}`, { multiline: true }).replace(/\.$/, "") + place);
}

/** The package of the module may be another copy than the command's, so its errors are told by their name and code. */
function fault(thrown: unknown, message: string): LastcallError {
  const { name, code } = (thrown ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  const isKey = name === "LastcallError" && code === "authentication";
  return new LastcallError(isKey ? "authentication" : "configuration", message, { cause: thrown });
}

function ended(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function wrong(message: string, cause?: unknown): LastcallError {
  return new LastcallError("configuration", message, cause === undefined ? {} : { cause });
}
