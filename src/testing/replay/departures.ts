// Departures: where the replay differs from the recording, each with what follows from it.

import { commonLines } from "../../core/internal.js";
import { differenceWords, type Departure, type Difference } from "./difference-words.js";
import type { Fact, FactPrompt } from "./facts.js";
import { sectionsOf } from "./prompt-sections.js";

/** A departure while its consequences are collected. */
interface Open {
  readonly differences: readonly Difference[];
  readonly follows: string[];
  readonly fact: Fact;
  /** False if it is about words of the request alone, which change nothing as long as the same replies come. */
  readonly explains: boolean;
}

/** The facts of both sides, and the calls that ran in the replay. */
export interface Sides {
  readonly recorded: readonly Fact[];
  readonly replayed: readonly Fact[];
  readonly ran: ReadonlySet<string>;
}

/** Compares the facts in their order. The first departure is the earliest. */
export function departuresIn({ recorded, replayed, ran }: Sides): readonly Departure[] {
  const found = new Found(ran);
  const places = new Map(recorded.map((fact, index) => [fact.id, index]));
  const here = new Set(replayed.map(({ id }) => id));
  let next = 0;
  for (const fact of replayed) {
    const at = places.get(fact.id);
    if (at === undefined) {
      found.take(fact, undefined, fact);
      continue;
    }
    for (const left of recorded.slice(next, at).filter(({ id }) => !here.has(id))) {
      // The run ended sooner: its end tells that.
      if (left.kind === "request") break;
      found.take(left, left, undefined);
    }
    next = Math.max(next, at + 1);
    found.take(fact, recorded[at], fact);
  }
  // A run that was not begun, or did not come so far.
  for (const left of recorded.slice(next)) if (!here.has(left.id)) found.take(left, left, undefined);
  return found.departures;
}

class Found {
  readonly #open: Open[] = [];
  readonly #known = new Map<string, Open>();

  readonly #ran: ReadonlySet<string>;

  constructor(ran: ReadonlySet<string>) {
    this.#ran = ran;
  }

  get departures(): readonly Departure[] {
    return this.#open.map(({ fact: { at, kind }, differences, follows }) => ({
      at,
      kind,
      differences: differences.map((difference) => ({ ...difference, words: differenceWords(difference) })),
      follows,
    }));
  }

  /** Compares one fact of both sides, and finds the cause of each difference. */
  take(fact: Fact, was: Fact | undefined, is: Fact | undefined): void {
    const own: Difference[] = [];
    for (const difference of differencesOf(fact, was, is)) {
      const key = JSON.stringify(difference);
      const cause = this.#known.get(key) ?? this.#causeOf(fact, difference);
      if (cause === undefined) own.push(difference);
      else this.#follow(cause, fact, key);
    }
    if (own.length === 0) return;
    const explains = fact.kind !== "request" || own.some(({ part }) => part === "tool");
    const departure: Open = { differences: own, follows: [], fact, explains };
    this.#open.push(departure);
    for (const difference of own) this.#known.set(JSON.stringify(difference), departure);
  }

  #follow(cause: Open, { at }: Fact, key: string): void {
    this.#known.set(key, cause);
    if (cause.fact.at !== at && !cause.follows.includes(at)) cause.follows.push(at);
  }

  /** The departure that a difference follows from; undefined if it has a cause of its own. */
  #causeOf({ kind, at, name }: Fact, { part, name: field, was, is }: Difference): Open | undefined {
    const last = this.#open.findLast(({ explains }) => explains);
    const isWhole = was !== undefined && is !== undefined;
    switch (kind) {
      case "request":
        return part === "message" ? last : undefined;
      case "decision":
        return isWhole ? this.#open.findLast((one) => one.fact.at === at) : last;
      case "check":
        return this.#open.find(({ fact }) => fact.kind === "check" && fact.name === name);
      case "result":
        if (this.#ran.has(at)) return this.#open.find((one) => one.fact.at === at);
        return field === "shown" ? this.#open.find((one) => one.fact.kind === "result") : last;
      case "end":
        return last ?? this.#open.at(-1);
    }
  }
}

function differencesOf(fact: Fact, was: Fact | undefined, is: Fact | undefined): readonly Difference[] {
  if (was?.prompt !== undefined && is?.prompt !== undefined) return inPrompts(was.prompt, is.prompt);
  const part = fact.kind;
  if (was === undefined || is === undefined) {
    const words = (one: Fact | undefined): string | undefined => one && Object.values(one.fields).join("\n");
    return [{ part, name: fact.name || fact.kind, was: words(was), is: words(is) }];
  }
  const fields = [...new Set([...Object.keys(was.fields), ...Object.keys(is.fields)])];
  const differing = fields.filter((field) => was.fields[field] !== is.fields[field]);
  // A clipped text follows from the whole one.
  const own = differing.includes("text") ? differing.filter((field) => field !== "shown") : differing;
  return own.map((field) => ({
    part,
    name: fact.kind === "check" ? `${fact.name}: ${field}` : field,
    was: was.fields[field],
    is: is.fields[field],
  }));
}

function inPrompts(was: FactPrompt, is: FactPrompt): readonly Difference[] {
  const tools = inTools(was.tools, is.tools);
  const messages = inLists(
    was.messages.map(({ name, text }) => ({ name, text })),
    is.messages.map(({ name, text }) => ({ name, text })),
  ).map((difference): Difference => ({ part: "message", ...difference }));
  return [...tools, ...inSystem(was, is), ...messages];
}

function inSystem(was: FactPrompt, is: FactPrompt): readonly Difference[] {
  if (was.system === is.system && was.system !== undefined) return [];
  if (was.systemDigest !== undefined && was.systemDigest === is.systemDigest) return [];
  if (was.system === undefined || is.system === undefined)
    return [{ part: "system prompt", name: "the whole", was: was.system, is: is.system }];
  return inLists(sectionsOf(was.system), sectionsOf(is.system)).map((difference) => ({
    part: "system prompt",
    ...difference,
  }));
}

function inTools(was: FactPrompt["tools"], is: FactPrompt["tools"]): readonly Difference[] {
  if (was === undefined || is === undefined) return [];
  return [...new Set([...was.keys(), ...is.keys()])]
    .sort()
    .filter((name) => was.get(name) !== is.get(name))
    .map((name) => ({ part: "tool", name, was: was.get(name), is: is.get(name) }));
}

/** A text with its name. */
interface Named {
  readonly name: string;
  readonly text: string;
}

/** The differences of two lists of texts: a text that is gone beside a new one is a change. */
function inLists(was: readonly Named[], is: readonly Named[]): readonly Omit<Difference, "part">[] {
  const stays = commonLines(
    was.map(({ text }) => text),
    is.map(({ text }) => text),
  );
  const found: Omit<Difference, "part">[] = [];
  let at = 0;
  let gone: Named[] = [];
  const close = (end: number): void => {
    const come = is.slice(at, end);
    for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
      const [before, now] = [gone[index], come[index]];
      found.push({ name: (before ?? now)?.name ?? "", was: before?.text, is: now?.text });
    }
    gone = [];
    at = end + 1;
  };
  for (const [index, place] of stays.entries()) {
    const before = was[index];
    if (place < 0) {
      if (before !== undefined) gone.push(before);
    } else close(place);
  }
  close(is.length);
  return found;
}
