// Hints: extra advice for a model that repeats itself, in failures or in successes.

import { nextOpener, type CircuitBounds, type Opener } from "../journal/circuit.js";
import { isMistakeOfForm, type Failure } from "../data/failure.js";
import type { State } from "../journal/state.js";
import { breakingTools, type Toolbox } from "../ports/toolbox.js";
import { isPlainObject } from "../data/json.js";
import { exampleArguments } from "./example-arguments.js";
import { joinNames } from "./join-names.js";
import { cutTo } from "../text/cut.js";

/** Adds the hint that fits the failure's count of repetitions. Failed checks have their own limit and get no hint. */
export function withHint(
  failure: Failure,
  { circuit, failures }: State,
  tools: Toolbox,
  bounds: CircuitBounds,
): Failure {
  if (failure.kind === "check_failed") return failure;
  const times = (circuit.repeats[failure.signature] ?? 0) + 1;
  const signatures = (): readonly string[] => [...failures, failure].map(({ signature }) => signature);
  const words = hint(failure, times, tools, nextOpener(circuit, signatures, bounds));
  return words === "" ? failure : { ...failure, hint: words };
}

/**
 * The hint for a failure that occurred `times` times in a row: from the second time on a reminder, from the third time on an explanation
 * too. `opener` adds a warning: the run stops if the next reply fails in any way, or in the same way. Empty if there is nothing to say.
 */
export function hint(failure: Failure, times: number, tools: Toolbox, opener: Opener): string {
  const lines: string[] = [];
  if (times > 1) {
    // A mistake of form can't pass. A fact about the world may, so nothing is foretold of it.
    const foretold = isMistakeOfForm(failure) ? ": the same thing again will fail again" : "";
    lines.push(`This is ${ordinal(times)} in a row${foretold}. Do what is said above.`);
  }
  if (times > 2) lines.push(...explanation(failure, tools));
  if (opener === "same") lines.push("If the next reply fails the same way, the run is stopped.");
  if (opener === "any") lines.push("If the next reply fails in any way, the run is stopped.");
  return lines.join("\n");
}

/** The hint for calls that had the same results `times` times in a row. The run stops after `stop` times. */
export function nudge(times: number, stop: number, tools: Toolbox): string {
  return [
    `You have made the same calls with the same results ${String(times)} times in a row. Nothing new will come of them.`,
    `Use what you have, go another way, or end by calling ${endingNames(tools)}.`,
    `After ${String(stop)} times in a row the run is stopped.`,
  ].join("\n");
}

function endingNames(tools: Toolbox): string {
  const names = breakingTools(tools).map(({ name }) => name);
  return joinNames(names, "or");
}

/**
 * The lines that explain a call. If its arguments were wrong: the schema of the tool that was called. If no tool was called, or there is no
 * such tool: the list of tools and an example call. For another failure of a tool that does not end runs: other ways. Else none.
 */
function explanation(failure: Failure, tools: Toolbox): readonly string[] {
  const meant = failure.tool === undefined ? undefined : tools.find(failure.tool);
  if (meant !== undefined) {
    if (failure.kind === "conflicting_calls") return [];
    if (isMistakeOfForm(failure))
      return [`The arguments of ${meant.tool.name} must fit this schema: ${JSON.stringify(meant.schema.json)}`];
    return meant.tool.ending === "never" ? [`Go another way, or end by calling ${endingNames(tools)}.`] : [];
  }
  const lines = tools.descriptions.map(({ name, description }) => `- ${name}: ${oneLine(description)}`);
  const breaking = breakingTools(tools);
  const { name = "" } = breaking.find(({ ending }) => ending === "completed") ?? breaking[0] ?? {};
  const schema = tools.find(name)?.schema.json ?? {};
  const example = exampleArguments(schema);
  const form = isPlainObject(example)
    ? `the arguments ${JSON.stringify(example)}`
    : `arguments for this schema: ${JSON.stringify(schema)}`;
  return ["These are the tools:", ...lines, `A complete call, for example: ${name} with ${form}`];
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return cutTo(line, 120);
}

function ordinal(times: number): string {
  const words = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
  const word = words[times - 2];
  return word === undefined ? `time number ${String(times)}` : `the ${word} time`;
}
