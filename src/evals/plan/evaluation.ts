// An evaluation: tasks, the variants and models that are tried on them, and how often.

import { LastcallError, type Model, type Prices, type SharedLimitOptions } from "../../core/index.js";
import {
  checkOptions,
  checkPrices,
  wholeNumber,
  listOf,
  needed,
  portKinds,
  recordOf,
  type OptionKinds,
} from "../../core/internal.js";
import { checkName, checkTask, type CheckedTask, type EvalTask } from "./eval-task.js";
import type { Variant } from "./variant.js";

/** The limits of a whole evaluation, and the prices that costs are counted by. */
export interface EvalLimits extends Pick<SharedLimitOptions, "maxCost" | "maxTokens" | "maxIterations"> {
  readonly prices?: Prices | undefined;
}

/** The options of `evaluation`. */
export interface EvaluationOptions {
  /** The name of the folder that keeps it. Default: the name of the eval's file, else `eval`. */
  readonly name?: string | undefined;
  readonly tasks: readonly EvalTask[];
  /** The variants by name. All other variants are compared with the first. */
  readonly variants: Readonly<Record<string, Variant>>;
  /** The models by name, each tried with each variant that makes an agent. Default: none, for commands alone. */
  readonly models?: Readonly<Record<string, Model>> | undefined;
  /** The trials of each task, variant and model. Default 5. */
  readonly trials?: number | undefined;
  /** The trials at work at once, and the most requests to one provider at once. Default 4. */
  readonly concurrency?: number | undefined;
  /** Limits that all trials share. The evaluation ends at one, and goes on with a higher one. Default: none. */
  readonly limits?: EvalLimits | undefined;
  /** Secret values, of at least 8 characters, that no report may show, besides the known formats of keys. Default: none. */
  readonly secrets?: readonly string[] | undefined;
}

/** An evaluation that is checked. `evaluate` runs it. */
export interface Evaluation {
  readonly name: string | undefined;
  readonly tasks: readonly CheckedTask[];
  readonly variants: Readonly<Record<string, Variant>>;
  readonly models: Readonly<Record<string, Model>>;
  readonly trials: number;
  readonly concurrency: number;
  readonly limits: SharedLimitOptions;
  readonly prices: Prices;
  readonly secrets: readonly string[];
}

const evaluationOptions = {
  name: "text",
  tasks: needed("list"),
  variants: needed(recordOf(["function", "object"])),
  models: recordOf(portKinds.model),
  trials: "number",
  concurrency: "number",
  limits: "object",
  secrets: listOf("text"),
} satisfies OptionKinds<EvaluationOptions>;

const limitOptions = {
  maxCost: "number",
  maxTokens: "number",
  maxIterations: "number",
  prices: "object",
} satisfies OptionKinds<EvalLimits>;

/**
 * States an evaluation. Nothing runs before `evaluate` does.
 * @throws LastcallError `configuration` that names the wrong option and says what to give.
 */
export function evaluation(options: EvaluationOptions): Evaluation {
  checkOptions("evaluation", options, evaluationOptions);
  const { name, tasks, variants, models = {}, trials = 5, concurrency = 4, limits = {}, secrets = [] } = options;
  if (name !== undefined) checkName("The name of the evaluation", name);
  if (tasks.length === 0) throw wrong("has no tasks: give at least one");
  const checked = tasks.map(checkTask);
  const ids = checked.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) throw wrong(`has two tasks with the id ${twice}`);
  checkVariants(variants, models);
  checkOptions("evaluation.limits", limits, limitOptions);
  const { prices = {}, ...shared } = limits;
  return {
    name,
    tasks: checked,
    variants,
    models,
    trials: wholeNumber("evaluation.trials", trials),
    concurrency: wholeNumber("evaluation.concurrency", concurrency),
    limits: shared,
    prices: checkPrices(prices),
    secrets,
  };
}

function checkVariants(variants: Readonly<Record<string, Variant>>, models: Readonly<Record<string, Model>>): void {
  const entries = Object.entries(variants);
  if (entries.length === 0) throw wrong("has no variants: give at least one function that makes an agent");
  Object.keys(models).forEach((name) => {
    checkName("The name of a model", name);
  });
  for (const [name, variant] of entries) {
    checkName("The name of a variant", name);
    if (typeof variant === "function") {
      if (Object.keys(models).length === 0) throw wrong(`has no models, and the variant ${name} makes an agent`);
      continue;
    }
    checkOptions(`the variant ${name}`, variant, { command: needed(listOf("text")), timeout: "number" });
    if (variant.command.length === 0)
      throw wrong(`has a variant ${name} without a command: give ["program", "{task}"]`);
  }
}

function wrong(problem: string): LastcallError {
  return new LastcallError("configuration", `The evaluation ${problem}.`);
}
