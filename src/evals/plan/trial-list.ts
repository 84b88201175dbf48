// The trials of an evaluation in the order in which they run, and a digest that tells one plan from another.

import { createHash } from "node:crypto";
import { canonical } from "../../core/internal.js";
import type { CheckedTask } from "./eval-task.js";
import type { Evaluation } from "./evaluation.js";
import type { Variant } from "./variant.js";

/** One trial to make. */
export interface PlannedTrial {
  /** `<task>.<variant>.<model>.<trial>`. */
  readonly id: string;
  readonly task: CheckedTask;
  readonly variant: string;
  /** The name of the model; `command` for a command. */
  readonly model: string;
  /** From 1. */
  readonly trial: number;
}

/** A variant with a model, which trials are counted by. */
export interface Arm {
  readonly variant: string;
  readonly model: string;
}

/** The combinations of variants and models. A command has no model. */
export function armsOf({ variants, models }: Evaluation): readonly Arm[] {
  return Object.entries(variants).flatMap(([variant, made]) =>
    (typeof made === "function" ? Object.keys(models) : ["command"]).map((model) => ({ variant, model })),
  );
}

/** All trials, the first of everything before the second of anything: half of the time is half of every task. */
export function trialsOf(evaluation: Evaluation): readonly PlannedTrial[] {
  const arms = armsOf(evaluation);
  return Array.from({ length: evaluation.trials }, (_none, index) => index + 1).flatMap((trial) =>
    evaluation.tasks.flatMap((task) =>
      arms.map(({ variant, model }) => ({
        id: [task.id, variant, model, String(trial)].join("."),
        task,
        variant,
        model,
        trial,
      })),
    ),
  );
}

/** A digest of the plan: its tasks, variants, models and trials. Code that a function calls is not in it. */
export function planDigest({ tasks, variants, models, trials }: Evaluation): string {
  const stated = {
    trials,
    tasks: tasks.map(({ id, input, workspace, truth, ends, must = false, cluster }) => ({
      ...{ id, input, ends, must, cluster },
      workspace: workspace?.id ?? "",
      truth: truth?.id ?? "",
    })),
    variants: Object.entries(variants).map(([name, variant]) => [name, textOf(variant)]),
    models: Object.entries(models).map(([name, model]) => [name, model.name, model.provider]),
  };
  return createHash("sha256").update(canonical(stated)).digest("hex");
}

function textOf(variant: Variant): string {
  return typeof variant === "function" ? variant.toString() : JSON.stringify(variant.command);
}
