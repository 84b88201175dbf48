// Loads the evaluation of a file: the default export of a module.

import { basename, dirname, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { Evaluation } from "../../evals/index.js";
import { visible } from "../display/visible.js";
import { callIn, loadModule } from "../modules/load-module.js";

/** An evaluation, and the folder at which its relative paths begin. */
export interface LoadedEvaluation {
  readonly evaluation: Evaluation & { readonly name: string };
  readonly base: string;
}

/**
 * Loads the evaluation. Its name is the file's, if it states none.
 * @throws LastcallError `configuration` if the module can't be loaded, or its default export is no evaluation.
 */
export async function loadEvaluation(file: string): Promise<LoadedEvaluation> {
  const path = resolve(file);
  const exports = await loadModule(path);
  const whole = exports["default"];
  const made: unknown = typeof whole === "function" ? await callIn(path, () => (whole as () => unknown)()) : whole;
  if (!isEvaluation(made))
    throw new LastcallError(
      "configuration",
      `${visible(path)}: its default export is no evaluation. Write: export default evaluation({ tasks, variants, models });`,
    );
  const name =
    made.name ??
    (basename(path)
      .replace(/(?:\.eval)?\.\w+$/, "")
      .replaceAll(/[^\w-]/g, "-") ||
      "eval");
  return { evaluation: { ...made, name }, base: dirname(path) };
}

function isEvaluation(made: unknown): made is Evaluation {
  if (!isPlainObject(made)) return false;
  return Array.isArray(made["tasks"]) && isPlainObject(made["variants"]) && typeof made["concurrency"] === "number";
}
