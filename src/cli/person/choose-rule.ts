// Choosing a rule at a question about a call: the person sees each rule that is offered, and says how long it counts.

import type { Approval, Asking, FrozenCall } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { KeptRule } from "../../permission/index.js";
import type { KeptRules } from "../args/kept-rules.js";
import type { Style } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import type { Person } from "./person.js";

/** A rule that a question offers, and its meaning. */
interface Offered {
  readonly rule: string;
  readonly means: string;
}

/** The rules that a person can choose instead of a yes to one call. */
export function offeredIn({ rule, kind }: Pick<Asking, "rule" | "kind">): readonly Offered[] {
  const exact =
    rule === undefined ? [] : [{ rule, means: rule.includes("(") ? "only this" : "each call of this tool" }];
  if (kind === undefined) return exact;
  return [
    ...exact,
    { rule: kind, means: kind.endsWith("/**)") ? "all files there" : "with any words that stay in this folder" },
  ];
}

/** The person, the place of the question, and the rules that are kept. */
interface ChoosePlace {
  readonly person: Person;
  readonly style: Style;
  readonly say: (line: string) => void;
  /** The kept rules. Undefined if none can be kept. */
  readonly chosen: KeptRules | undefined;
  readonly signal: AbortSignal;
}

/** Asks which of the rules to allow, and for how long; undefined if the person chooses none. */
export async function chooseRule(
  rules: readonly Offered[],
  { definition }: FrozenCall,
  { person, style, say, chosen, signal }: ChoosePlace,
): Promise<Approval | undefined> {
  const numbers = rules.map((_rule, index) => String(index + 1));
  for (const [index, { rule, means }] of rules.entries())
    say(`  ${numbers[index] ?? ""}  ${style.bold(visible(rule))}  ${style.dim(means)}`);
  const keeping = chosen === undefined ? "" : `; ${numbers.map((one) => `${one}k`).join(" or ")}: kept for this folder`;
  const question = `Which? [${numbers.join(" or ")}: this session${keeping}; Enter: back] `;
  const answer = await person.ask(question, signal);
  const [, number = "", keep = ""] = /^\s*(\d)\s*(k?)\s*$/i.exec(answer ?? "") ?? [];
  const picked = rules[Number(number) - 1];
  if (picked === undefined) return undefined;
  if (keep !== "" && chosen !== undefined)
    say(await kept(chosen, { rule: picked.rule, ...(definition !== undefined && { definition }) }, style));
  return { allowed: true, always: picked.rule };
}

/** Keeps the rule. Returns a line that says so, or that it could not be kept. */
async function kept(chosen: KeptRules, rule: KeptRule, style: Style): Promise<string> {
  try {
    await chosen.keep(rule);
    return style.dim(`Kept in ${visible(chosen.path)}. Delete it there to be asked again.`);
  } catch (thrown) {
    return `The rule counts in this session alone: ${visible(explain(thrown))}`;
  }
}
