// Tools that a provider refuses because of their schemas: the request goes out without them, instead of never.

import type { ModelEvent, ModelRequest, ToolDescription } from "../core/index.js";
import { explain } from "../core/internal.js";

/** The tools that one model does not offer any more. */
export interface LeftOut {
  /** The request without the tools that were left out. It has the same list of tools for the same list. */
  offered(request: ModelRequest): ModelRequest;
  /**
   * Takes the error of a refused request. Returns the event of leaving tools out; undefined if the refusal names no schema of a tool, if
   * no tool would be left, or if it was enough.
   */
  refused(thrown: unknown, request: ModelRequest): ModelEvent | undefined;
}

/** The most tools that are left out. A provider that refuses more has another reason. */
const most = 10;

/** Makes the memory of one model for tools that its provider refuses. */
export function leftOut(): LeftOut {
  const names = new Set<string>();
  let offers = new WeakMap<readonly ToolDescription[], readonly ToolDescription[]>();

  return {
    offered(request) {
      if (names.size === 0) return request;
      const { tools } = request;
      const kept = offers.get(tools) ?? tools.filter(({ name }) => !names.has(name));
      offers.set(tools, kept);
      return { ...request, tools: kept };
    },
    refused(thrown, { tools }) {
      const gone = namedTools(thrown, tools);
      if (gone.length === 0 || gone.length === tools.length || names.size + gone.length > most) return undefined;
      for (const name of gone) names.add(name);
      offers = new WeakMap();
      const which = gone.length === 1 ? "the tool" : "the tools";
      const words = explain(thrown).slice(0, 300);
      return {
        type: "request-adjusted",
        reason: `${which} ${gone.join(", ")} left out from now on, for the schema is refused: ${words}`,
      };
    },
  };
}

/** Words of a refusal that is about a schema. */
const aboutSchema = /schema|function_?declaration|\.parameters\b/i;

/** A name in quotes, after the word for what it names. */
const naming = /\b(?:function|tool)s?(?: named?)?:?\s*(["'`])(.{1,100}?)\1/gi;

/** Places in the list of the request, counted from 0, as Gemini, Anthropic and OpenAI give them. */
const places = [/function_?declarations?\[(\d+)\]/gi, /\btools\.(\d+)\./g, /\btools\[(\d+)\]/g];

/** The names of the tools whose schemas the provider refuses, by their names or their places. */
function namedTools(thrown: unknown, tools: readonly ToolDescription[]): readonly string[] {
  const { status, param } = (thrown ?? {}) as { readonly status?: unknown; readonly param?: unknown };
  const words = `${explain(thrown)} ${typeof param === "string" ? param : ""}`;
  if ((status !== 400 && status !== 422) || !aboutSchema.test(words)) return [];
  const given = new Set([...words.matchAll(naming)].map(([, , name]) => name));
  const named = tools.filter(({ name }) => given.has(name));
  if (named.length > 0) return named.map(({ name }) => name);
  const place = places.find((pattern) => words.search(pattern) !== -1);
  const found = place === undefined ? [] : [...words.matchAll(place)].map(([, index]) => tools[Number(index)]?.name);
  return [...new Set(found)].filter((name) => name !== undefined);
}
