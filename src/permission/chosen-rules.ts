// Kinds: the rule for calls of the same kind that a question offers, and the rules that a person chose.

import type { FrozenCall } from "../core/index.js";
import { isOneKind } from "./command/covered-programs.js";
import { readCommand } from "./command/read-command.js";
import { runnerWordsOf } from "./command/runner-words.js";
import { TooMuchWork, Work } from "./command/decision-work.js";
import { behindTimeout } from "./command/wrappers.js";
import { decide } from "./decide/decide.js";
import type { Ruling } from "./decide/ruling.js";
import type { Law } from "./rules/law.js";
import { resolvePath } from "./rules/place.js";
import type { KeptRule } from "./rules/kept-rule.js";
import { readRules, type Rule } from "./rules/rule.js";

/**
 * The rule that allows this call and others of its kind; undefined if there is none. It is the rule of a person who reads it: no more than
 * its words say, and the gate decides by it as by any rule of `allow`.
 */
export async function kindOf(law: Law, call: FrozenCall): Promise<string | undefined> {
  const text = call.reach?.command === undefined ? await folderOf(law, call) : commandsLike(call, call.reach.command);
  if (text === undefined) return undefined;
  const ruling = await decide({ ...law, allow: [...law.allow, ...readRules("kept", [text])] }, call);
  return ruling.is === "yes" && ruling.basis === "rule" ? text : undefined;
}

/** Commands that begin with the same program, or with the same command that runs checks. */
function commandsLike({ name }: FrozenCall, command: string): string | undefined {
  try {
    const { commands, isPlain } = readCommand(command, new Work());
    const [only, ...more] = commands;
    if (!isPlain || only === undefined || more.length > 0) return undefined;
    const words = behindTimeout(only.words) ?? only.words;
    const [program = ""] = words;
    const begin = runnerWordsOf(words)?.begin ?? (isOneKind(program) ? [program] : undefined);
    return begin && `${name}(${begin.join(" ")} *)`;
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return undefined;
    throw thrown;
  }
}

/** The files of the folder in which the one file of the call lies. The workspace as a whole is no kind. */
async function folderOf({ root }: Law, { name, reach }: FrozenCall): Promise<string | undefined> {
  const [path, ...more] = [...new Set([...(reach?.reads ?? []), ...(reach?.writes ?? [])])];
  if (path === undefined || more.length > 0) return undefined;
  const { inside = "" } = await resolvePath(root, path);
  const folder = inside.split("/").slice(0, -1).join("/");
  return folder === "" || /[*?[\]{}()!+@\\]/.test(folder) ? undefined : `${name}(${folder}/**)`;
}

/** The rules that were chosen: of earlier processes, for all sessions, and in each session. */
export class ChosenRules {
  readonly #kept: readonly Chosen[];
  readonly #sessions = new Map<string, Chosen[]>();

  /** @throws LastcallError `configuration` that names every rule that is not valid. */
  constructor(kept: readonly KeptRule[]) {
    const rules = readRules(
      "kept",
      kept.map(({ rule }) => rule),
    );
    this.#kept = rules.map((rule, index) => ({ rule, definition: kept[index]?.definition }));
  }

  /** Adds a rule for the rest of the session. It counts for the definition that the call has. */
  add(session: string, rule: string, { definition }: FrozenCall): void {
    const chosen = readRules("kept", [rule]).map((read) => ({ rule: read, definition }));
    this.#sessions.set(session, [...(this.#sessions.get(session) ?? []), ...chosen]);
  }

  /** The ruling that allows a call which would be asked about; undefined if no chosen rule allows it. */
  async allowing(law: Law, call: FrozenCall, session: string): Promise<Yes | undefined> {
    const rules = [...this.#kept, ...(this.#sessions.get(session) ?? [])]
      .filter(({ definition }) => definition === call.definition)
      .map(({ rule }) => rule);
    if (rules.length === 0) return undefined;
    const ruling = await decide({ ...law, allow: [...law.allow, ...rules] }, call);
    return ruling.is === "yes" ? ruling : undefined;
  }
}

type Yes = Extract<Ruling, { readonly is: "yes" }>;

interface Chosen {
  readonly rule: Rule;
  readonly definition: string | undefined;
}
