// The approver at the terminal: it shows the whole call, and only a clear yes lets the call run.

import type { Approval, ApprovalAnswer, Approver, Asking, FrozenCall } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import type { KeptRules } from "../args/kept-rules.js";
import { quoted } from "../args/options.js";
import { chooseRule, offeredIn } from "./choose-rule.js";
import type { Person } from "./person.js";
import { lookAlikes } from "../display/look-alikes.js";
import { visible } from "../display/visible.js";
import { diffLine, type Style } from "../display/quantities.js";

/**
 * Asks the person about each call: y, n, a (always in this session), r (always, by a rule, if there is one) or e (explain). Other words are
 * a no, with the words as its reason. One person answers, so the calls of all sessions wait for each other. A rule that is to be kept goes
 * to `chosen`. Default: none can be kept.
 */
export function approverAt(
  person: Person,
  { style, say, chosen }: Output & { readonly chosen?: KeptRules | undefined },
): Approver {
  const ask = async (call: FrozenCall, asking: Asking): Promise<Approval> => {
    asking.signal.throwIfAborted();
    say(await shown(call, asking, style));
    for (;;) {
      const rules = offeredIn(asking);
      const byRule = rules.length === 0 ? "" : "r = by a rule, ";
      const question = `Allow it? [y/N, a = always in this session, ${byRule}e = explain] `;
      const answer = (await person.ask(question, asking.signal))?.trim() ?? "";
      if (rules.length > 0 && /^(?:r|rule)$/i.test(answer)) {
        const approval = await chooseRule(rules, call, { person, style, say, chosen, signal: asking.signal });
        if (approval !== undefined) return approval;
        continue;
      }
      const approval = approvalIn(answer);
      if (approval !== undefined) return approval;
      explanation(call, asking).forEach(say);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return (call, asking) => {
    const answering = last.then(() => ask(call, asking));
    last = answering.catch(() => undefined);
    return answering;
  };
}

/** The approver if nobody is there: it refuses every call, and collects the rules that would have allowed them. */
export interface Nobody {
  readonly approver: Approver;
  /** Tells the person how to allow the refused calls; undefined if none was refused. */
  hint(): string | undefined;
}

/** Makes the approver that refuses every call. */
export function nobody(): Nobody {
  const rules = new Set<string>();
  let refused = 0;
  let insisted = 0;
  return {
    approver(_call, { why, rule, insists }) {
      refused += 1;
      if (insists) insisted += 1;
      if (rule !== undefined) rules.add(rule);
      return { allowed: false, reason: `${why}; nobody is there to approve it` };
    },
    hint() {
      if (refused === 0) return undefined;
      const few = [...rules].slice(0, 3).map((rule) => `--allow ${quoted(visible(rule))}`);
      const ways = insisted === refused ? few : [...few, "--yes"];
      const what = refused === 1 ? "1 call was" : `${String(refused)} calls were`;
      const them = refused === 1 ? "it" : insisted === 0 ? "them" : "some of them";
      const how = ways.length === 0 ? "Only a person at a terminal can allow" : `${ways.join(", or ")} would let`;
      return `${what} refused, because nobody was there to ask. ${how} ${them}${ways.length === 0 ? "" : " through"}.`;
    },
  };
}

/** The functions that print a question. */
export interface Output {
  readonly style: Style;
  readonly say: (line: string) => void;
}

/** The approval in an answer; undefined if the person asks for an explanation. */
export function approvalIn(answer: string): ApprovalAnswer | undefined {
  if (/^(?:e|explain|\?)$/i.test(answer)) return undefined;
  if (/^(?:y|yes)$/i.test(answer)) return { allowed: true };
  if (/^(?:a|always)$/i.test(answer)) return { allowed: true, always: true };
  if (/^(?:n|no)?$/i.test(answer)) return { allowed: false };
  return { allowed: false, reason: `the user said no, and: ${answer}` };
}

/** The question about a call: the tool's preview, or else all its arguments, and the reason to ask. */
export async function shown(
  call: FrozenCall,
  { preview, why }: Pick<Asking, "preview" | "why">,
  style: Style,
): Promise<string> {
  const head = style.bold(`${visible(call.name)} wants to ${deed(call)}`);
  let body: string | undefined;
  try {
    body = await preview();
  } catch (thrown) {
    body = `It will most likely fail: ${explain(thrown)}\n${whole(call)}`;
  }
  const text = body ?? whole(call);
  const warnings = lookAlikes(text).map((warning) => `\n${style.bold(visible(warning))}`);
  return `${head}, and ${visible(why)}:\n${coloured(indented(text), style)}${warnings.join("")}`;
}

/** The answer to `e`: the reason, the words that count, and the whole call. */
export function explanation(call: FrozenCall, asking: Pick<Asking, "why" | "rule" | "kind">): readonly string[] {
  const { why, rule } = asking;
  return [
    `Asked because ${visible(why)}.`,
    "Always means: this very call with these very arguments, in this session, until this command ends or its model or tier is changed.",
    ...(rule === undefined ? [] : [`To allow it from the start: --allow ${quoted(visible(rule))}`]),
    ...(offeredIn(asking).length === 0
      ? []
      : [
          "By a rule means: all calls that the rule allows, in this session, or kept for later commands in this folder. Rules that forbid still win.",
        ]),
    "Any other words are a no that the model is told. The whole call:",
    indented(whole(call)),
  ];
}

/** The call's effect as a verb: a call that executes or uses the network runs. */
function deed({ effect }: FrozenCall): string {
  return effect === "read" || effect === "write" ? effect : "run";
}

/** The call as it will run, with nothing hidden. */
export function preview(call: FrozenCall): string {
  return `${call.name} wants to ${deed(call)}:\n${indented(whole(call))}`;
}

/** All arguments of the call, texts verbatim. */
function whole({ input }: FrozenCall): string {
  const fields = isPlainObject(input) ? Object.entries(input) : [["input", input] as const];
  return fields
    .map(([field, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return text.includes("\n") ? `${field}:\n${text.replace(/^/gm, "| ")}` : `${field}: ${text}`;
    })
    .join("\n");
}

/**
 * The text, indented. It can't hide a part of itself: control characters are escaped, and what could push another part off the screen is
 * replaced by its length.
 */
function indented(text: string): string {
  const safe = visible(text, { multiline: true })
    .replace(/[^\S\n]{40,}/gu, (gap) => ` [... ${String(gap.length)} spaces ...] `)
    .replace(/(\\u\{[\da-f]+\})\1{7,}/gu, (all, one: string) => ` [... ${one} ${times(all.length / one.length)} ...] `)
    .replace(/(?:\n[^\S\n]*){8,}\n/gu, (gap) => `\n[... ${String(gap.split("\n").length - 2)} empty lines ...]\n`)
    .replace(/^(.+\n)\1{7,}/gmu, (all, one: string) => `${one}[... this line ${times(all.length / one.length)} ...]\n`);
  return safe.replace(/^/gm, "  ");
}

function times(count: number): string {
  return `${String(count)} times`;
}

/** The text, coloured if it is a diff. */
function coloured(text: string, style: Style): string {
  if (!/^ {2}@@ /m.test(text)) return text;
  return text.replace(/^ {2}(.*)$/gm, (_all, line: string) => `  ${diffLine(line, style)}`);
}
