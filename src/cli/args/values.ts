// Values: the readers of the words that follow options. Each reader has the end of the message that refuses a word.

import { maxTimerDelay } from "../../core/internal.js";
import type { CommandHook, HookMoment } from "../../checks/index.js";
import type { Forcing } from "../../model/index.js";
import type { Tier } from "../../permission/index.js";
import type { ChangeCaps } from "../../tools/index.js";

/** A way to read a word. */
export interface Reader<Value> {
  /** The value, or undefined if the word has none. */
  readonly read: (word: string) => Value | undefined;
  /** The end of the message that refuses a word, after the option and the word. */
  readonly refusal: string;
  /** All words that have a value, if they can be listed. */
  readonly words?: readonly string[];
}

/** The types of the values by the names of their readers. */
export interface ValueTypes {
  readonly count: number;
  readonly "count or none": number | "none";
  /** A port of this machine; 0 for any that is free. */
  readonly port: number;
  /** Milliseconds. */
  readonly "time or none": number | "none";
  /** Milliseconds between two times. */
  readonly period: number;
  /** A time in milliseconds since 1970. */
  readonly moment: number;
  readonly "amount or none": number | "none";
  readonly tier: Tier;
  readonly suite: "truth";
  readonly template: TemplateName;
  readonly forcing: Forcing | "ladder";
  readonly provider: "openai" | "anthropic" | "google" | "mistral";
  /** One bound of what a run changes. */
  readonly cap: ChangeCaps;
  /** A command to run at a moment of the run. */
  readonly hook: Pick<CommandHook, "on" | "tools" | "command">;
  /** A command to run after a file was written, with the pattern of the files. */
  readonly "edit command": { readonly files: string; readonly command: string };
}

const hookMoments = [
  "before-call",
  "after-call",
  "claim",
  "question",
  "limit",
  "end",
] as const satisfies readonly HookMoment[];

/** The projects that `lastcall init` makes: the folders of `templates` in the package. */
export const templateNames = ["agent", "desk", "coding", "service"] as const;

/** The name of such a project. */
export type TemplateName = (typeof templateNames)[number];

const timeUnits: Readonly<Record<string, number>> = { "": 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const periodUnits: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const count: Reader<number> = {
  read: (word) => (/^[1-9]\d*$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) : undefined),
  refusal: `is no whole number from 1 to ${String(Number.MAX_SAFE_INTEGER)}`,
};

const time: Reader<number> = {
  read(word) {
    const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(word) ?? [];
    const milliseconds = number === "" ? 0 : Number(number) * (timeUnits[unit] ?? 0);
    return milliseconds >= 1 && milliseconds <= maxTimerDelay ? milliseconds : undefined;
  },
  refusal: "is no time such as 90s, 10m or 2h, from 1ms to 24 days",
};

const period: Reader<number> = {
  read(word) {
    const [, number = "", unit = ""] = /^([1-9]\d*)(s|m|h|d)$/.exec(word) ?? [];
    const milliseconds = Number(number) * (periodUnits[unit] ?? 0);
    return milliseconds > 0 && milliseconds <= 366 * 86_400_000 ? milliseconds : undefined;
  },
  refusal: "is no time between two others such as 30m, 24h or 7d, from 1s to 366d",
};

const moment: Reader<number> = {
  read(word) {
    // A day alone would be midnight in UTC, and a day with a time is one of this machine.
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?$/.test(word);
    const time = isTime ? Date.parse(word) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  },
  refusal: "is no time such as 2026-12-31T06:00Z; without the Z it is by the clock of this machine",
};

const amount: Reader<number> = {
  read(word) {
    const value = /^\d+(?:\.\d+)?$/.test(word) ? Number(word) : 0;
    return value > 0 && Number.isFinite(value) ? value : undefined;
  },
  refusal: "is no amount above 0 such as 0.50",
};

/** The readers of values by their names. */
export const readers: { readonly [Name in keyof ValueTypes]: Reader<ValueTypes[Name]> } = {
  count,
  "count or none": orNone(count),
  port: {
    read: (word) => (/^\d{1,5}$/.test(word) && Number(word) < 65_536 ? Number(word) : undefined),
    refusal: "is no port from 0 to 65535",
  },
  "time or none": orNone(time),
  period,
  moment,
  "amount or none": orNone(amount),
  tier: oneOf("read-only", "workspace-write", "full-access"),
  suite: oneOf("truth"),
  template: oneOf(...templateNames),
  forcing: oneOf("ladder", "required", "auto", "xml"),
  provider: oneOf("openai", "anthropic", "google", "mistral"),
  cap: {
    read(word) {
      const [, kind = "", value = ""] = /^\s*([a-z-]+):(.*)$/s.exec(word) ?? [];
      return capOf(kind, value.trim());
    },
    refusal: 'is no "KIND: VALUE" with files, lines, commands, only, forbid or tests-follow, for example "files: 5"',
  },
  hook: {
    read(word) {
      const [, moment = "", tools = "", command = ""] = /^\s*([a-z-]+)((?:\s+[\w-]+)*)\s*:(.*)$/s.exec(word) ?? [];
      const on = hookMoments.find((known) => known === moment);
      const names = tools.trim() === "" ? undefined : tools.trim().split(/\s+/);
      const isOfCalls = on === "before-call" || on === "after-call" || on === "claim";
      if (on === undefined || command.trim() === "" || (names !== undefined && !isOfCalls)) return undefined;
      return { on, ...(names !== undefined && { tools: names }), command: command.trim() };
    },
    refusal: `is no "MOMENT [TOOL ...]: COMMAND" with ${hookMoments.join(", ")}, for example "before-call run_command: ./gate.sh"`,
  },
  "edit command": {
    read(word) {
      const [, files = "", command = ""] = /^([^:]*):(.*)$/s.exec(word) ?? [];
      if (files.trim() === "" || command.trim() === "") return undefined;
      return { files: files.trim(), command: command.trim() };
    },
    refusal: 'is no "PATTERN: COMMAND", for example "**/*.ts: npx eslint {file}"',
  },
};

/** A cap by its words; undefined if they are none. Patterns of files stand side by side. */
function capOf(kind: string, value: string): ChangeCaps | undefined {
  if (value === "") return undefined;
  switch (kind) {
    case "files":
    case "lines":
    case "commands": {
      const most = value === "0" ? 0 : count.read(value);
      return most === undefined ? undefined : { [kind]: most };
    }
    case "only":
      return { only: value.split(/\s+/) };
    case "forbid":
      return { forbid: [value] };
    case "tests-follow":
      return { testsFollow: value.split(/\s+/) };
    default:
      return undefined;
  }
}

function orNone<Value>({ read, refusal }: Reader<Value>): Reader<Value | "none"> {
  return { read: (word) => (word === "none" ? word : read(word)), refusal: `${refusal}; none sets no limit` };
}

function oneOf<Word extends string>(...words: readonly Word[]): Reader<Word> {
  return { read: (word) => words.find((known) => known === word), refusal: `is none of ${words.join(", ")}`, words };
}
