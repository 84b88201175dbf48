// The differences between two agents, each as a change that can be made alone.

import { canonical, commonLines, type Recipe } from "../../core/internal.js";
import { sectionsOf } from "./prompt-sections.js";

type RecipeOptions = Recipe["options"];

/** One difference, and the agent with this difference alone. */
export interface AgentDifference {
  /** The part in words, such as `the tool pay is gone`. */
  readonly name: string;
  /** The options of the first agent with this part of the other one. */
  readonly options: RecipeOptions;
}

/** The differences of the other agent: paragraphs of the instructions, tools, checks and options. Its model does not count. */
export function differencesBetween(one: RecipeOptions, other: RecipeOptions): readonly AgentDifference[] {
  return [
    ...inInstructions(one, other),
    ...inNamed("tool", one.tools, other.tools).map(({ name, list }) => ({ name, options: { ...one, tools: list } })),
    ...inNamed("check", one.checks ?? [], other.checks ?? []).map(({ name, list }) => ({
      name,
      options: { ...one, checks: list },
    })),
    ...inOptions(one, other),
  ];
}

function inInstructions(one: RecipeOptions, other: RecipeOptions): readonly AgentDifference[] {
  const [was, is] = [one, other].map(({ instructions = "" }) => (instructions === "" ? [] : sectionsOf(instructions)));
  const [before, now] = [was ?? [], is ?? []].map((sections) => sections.map(({ text }) => text));
  const changes = changesIn(before ?? [], now ?? []);
  return changes.map(({ from, to, come, at }) => {
    const paragraphs = [...(before ?? []).slice(0, from), ...come, ...(before ?? []).slice(to)];
    const section = to > from ? was?.[from] : is?.[at];
    return {
      name: `the instructions, ${section?.name ?? "the whole"}`,
      options: { ...one, instructions: paragraphs.join("\n\n") },
    };
  });
}

/** A run of paragraphs that others replace. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly come: readonly string[];
  /** The place of the first new paragraph in the other list. */
  readonly at: number;
}

/** The changes between two lists of paragraphs. Neighbours that changed one to one are separate changes. */
function changesIn(before: readonly string[], now: readonly string[]): readonly Change[] {
  const stays = commonLines(before, now);
  const found: Change[] = [];
  let from = 0;
  let at = 0;
  const close = (to: number, end: number): void => {
    const come = now.slice(at, end);
    if (to - from === come.length)
      come.forEach((text, index) =>
        found.push({ from: from + index, to: from + index + 1, come: [text], at: at + index }),
      );
    else if (to > from || come.length > 0) found.push({ from, to, come, at });
  };
  for (const [index, place] of stays.entries()) {
    if (place < 0) continue;
    close(index, place);
    from = index + 1;
    at = place + 1;
  }
  close(before.length, now.length);
  return found;
}

/** A list with one of its members as the other list has it. */
interface ChangedList<Member> {
  readonly name: string;
  readonly list: readonly Member[];
}

function inNamed<Member extends { readonly name: string }>(
  what: "tool" | "check",
  one: readonly Member[],
  other: readonly Member[],
): readonly ChangedList<Member>[] {
  const gone = one
    .filter(({ name }) => !other.some((now) => now.name === name))
    .map((before) => ({
      name: `the ${what} ${before.name}, which is gone`,
      list: one.filter((kept) => kept !== before),
    }));
  const come = other.flatMap((now) => {
    const before = one.find(({ name }) => name === now.name);
    if (before === now) return [];
    const list = before === undefined ? [...one, now] : one.map((kept) => (kept === before ? now : kept));
    return [{ name: `the ${what} ${now.name}${before === undefined ? ", which is new" : ""}`, list }];
  });
  return [...gone, ...come];
}

/** Options that are compared elsewhere, or change nothing that a replay sees. */
const apart = new Set(["model", "tools", "checks", "instructions", "runtime"]);

/** Options whose fields are differences of their own. */
const byField = new Set(["limits", "circuit"]);

function inOptions(one: RecipeOptions, other: RecipeOptions): readonly AgentDifference[] {
  const before = one as unknown as Readonly<Record<string, unknown>>;
  const now = other as unknown as Readonly<Record<string, unknown>>;
  const differing = (names: readonly string[], was: Fields, is: Fields): readonly string[] =>
    [...new Set(names)].sort().filter((name) => !isSame(was[name], is[name]));
  return differing([...Object.keys(before), ...Object.keys(now)], before, now)
    .filter((name) => !apart.has(name))
    .flatMap((name): readonly AgentDifference[] => {
      if (!byField.has(name)) return [{ name: `the option ${name}`, options: { ...one, [name]: now[name] } }];
      const [was, is] = [before[name], now[name]].map((value) => (value ?? {}) as Fields);
      return differing([...Object.keys(was ?? {}), ...Object.keys(is ?? {})], was ?? {}, is ?? {}).map((field) => ({
        name: `the option ${name}.${field}`,
        options: { ...one, [name]: { ...was, [field]: is?.[field] } },
      }));
    });
}

type Fields = Readonly<Record<string, unknown>>;

/** True if both are the same plain data, or the same object. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const isData = (value: unknown): boolean =>
    value === null || typeof value !== "object" || !/"(?:function|symbol)"/.test(kindsIn(value));
  return typeof one !== "function" && isData(one) && isData(other) && canonical(one) === canonical(other);
}

/** The kinds of all values in an object, as one text. */
function kindsIn(value: object): string {
  const kinds: string[] = [];
  JSON.stringify(value, (_key, item: unknown) => {
    kinds.push(`"${typeof item}"`);
    return typeof item === "bigint" ? String(item) : item;
  });
  return kinds.join();
}
