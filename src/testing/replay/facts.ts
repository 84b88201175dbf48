// The facts of a journal that a replay is held against: requests, decisions, results, verdicts and ends, in their order.

import type { JournalRecord, MemoryFactory, Message, Session } from "../../core/index.js";
import { canonical } from "../../core/internal.js";
import { effectOf } from "./recording.js";
import { promptsOf, type SentPrompt } from "../../memory/stores.js";

/** The kind of a fact. */
type FactKind = "request" | "decision" | "result" | "check" | "end";

/** One fact. Texts are without the random marks of their session. */
export interface Fact {
  readonly kind: FactKind;
  /** The effect that it is about, such as `1/model:3` or `1/call:3:0`. */
  readonly at: string;
  /** Equal for the same fact of the same run. */
  readonly id: string;
  /** The subject in words: a tool, a check. */
  readonly name: string;
  /** Its fields as texts, by name. */
  readonly fields: Readonly<Record<string, string>>;
  /** The request. Present if the fact is one. */
  readonly prompt?: FactPrompt;
}

/** A request as texts. */
export interface FactPrompt {
  readonly system: string | undefined;
  readonly systemDigest: string | undefined;
  /** The tools by name, each as JSON; undefined if the journal does not have them. */
  readonly tools: ReadonlyMap<string, string> | undefined;
  readonly messages: readonly FactMessage[];
}

/** A message as texts. */
export interface FactMessage {
  /** Its role, and the call of a result. */
  readonly name: string;
  readonly text: string;
}

/** The terms on which a journal is read. */
export interface FactTerms {
  /** The number of records before the first run of an agent. */
  readonly given: number;
  readonly memory: MemoryFactory;
  /** Paths that are left out of texts. */
  readonly folders: readonly string[];
}

/** The facts of a session behind its first `given` records. */
export async function factsOf(session: Session, from: FactTerms): Promise<readonly Fact[]> {
  const read = new FactReader(session, from);
  const prompts = promptsOf(session, from);
  for (const record of session.records.slice(from.given)) {
    if (record.type === "reply") read.request(record.iteration, (await prompts.next()).value as SentPrompt);
    else read.take(record);
  }
  return read.facts;
}

/** The readers of records, by type. */
type Readers = {
  readonly [Type in JournalRecord["type"]]?: (record: Extract<JournalRecord, { readonly type: Type }>) => void;
};

class FactReader {
  readonly facts: Fact[] = [];
  readonly #words: Words;
  readonly #effect: (id: string) => string;
  readonly #counts = new Map<string, number>();
  #run = 0;
  #iteration = 0;
  #claim = "";
  readonly #readers: Readers = {
    input: ({ run }) => {
      this.#run = run;
      this.#iteration = 0;
      this.#claim = "";
    },
    decision: (record) => {
      this.#add({ kind: "decision", at: this.#effect(record.callId), name: "", fields: decisionFields(record) });
    },
    parked: (record) => {
      this.#add({ kind: "decision", at: this.#effect(record.callId), name: "", fields: decisionFields(record) });
    },
    result: ({ result: { callId, name, text, shown, attachments } }) => {
      const fields = {
        text,
        ...(shown !== undefined && { shown }),
        ...(attachments !== undefined && { attachments: canonical(attachments) }),
      };
      this.#add({ kind: "result", at: this.#effect(callId), name, fields });
    },
    check: ({ when, check, passed, output }) => {
      const at = when === "baseline" ? when : `${when}:${String(this.#iteration)}`;
      const fields = { passed: passed ? "passed" : "failed", output };
      this.#add({ kind: "check", at: `${String(this.#run)}/${at}`, name: check, fields });
    },
    claim: ({ by, value }) => {
      this.#claim = `by ${by}: ${canonical(value)}`;
    },
    outcome: ({ status, reason = this.#claim }) => {
      this.#add({
        kind: "end",
        at: `${String(this.#run)}/end`,
        name: "",
        fields: { end: `${status} ${reason}`.trim() },
      });
    },
  };

  constructor(session: Session, terms: FactTerms) {
    this.#words = new Words(session, terms);
    this.#effect = (id) => effectOf(id, session.id);
  }

  take(record: JournalRecord): void {
    (this.#readers[record.type] as ((record: JournalRecord) => void) | undefined)?.(record);
  }

  request(iteration: number, sent: SentPrompt): void {
    this.#iteration = iteration;
    const at = `${String(this.#run)}/model:${String(iteration)}`;
    this.#add({ kind: "request", at, name: "", fields: {}, prompt: this.#words.prompt(sent) });
  }

  #add(fact: Omit<Fact, "id">): void {
    const key = `${fact.kind} ${fact.at} ${fact.kind === "check" ? fact.name : ""}`;
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    this.facts.push({ ...fact, fields: this.#words.fields(fact.fields), id: `${key} ${String(count)}` });
  }
}

function decisionFields(record: Extract<JournalRecord, { readonly type: "decision" | "parked" }>): Fact["fields"] {
  if (record.type === "parked") return { decision: "waits for an approval" };
  const { allowed, basis, reason, opens } = record;
  return {
    decision: allowed ? "allowed" : "refused",
    asked: basis === "approver" || basis === "grant" ? "by a person" : "by the rules",
    ...(!allowed && { reason }),
    ...(opens !== undefined && { opens: opens.join(", ") }),
  };
}

/** The texts of a session without its lives and nonces, which are random, and without the paths of its folder. */
class Words {
  readonly #marks: RegExp | undefined;
  readonly #messages = new WeakMap<Message, FactMessage>();
  readonly #session: string;

  constructor({ id, records }: Session, { folders }: FactTerms) {
    this.#session = id;
    const marks = records.flatMap((record) => [
      ...("life" in record ? [record.life] : []),
      ...("nonce" in record ? [record.nonce] : []),
    ]);
    const known = [...new Set(marks)].filter((mark) => /^[0-9a-z]{6}$/.test(mark));
    const paths = folders.filter((path) => path.length > 1).map((path) => `${escaped(path)}(?![\\w-])`);
    const parts = [...paths, ...known];
    this.#marks = parts.length === 0 ? undefined : new RegExp(parts.join("|"), "g");
  }

  text(text: string): string {
    // A call that began after its run had gone on ends with a later life.
    return this.#marks === undefined ? text : text.replace(this.#marks, "·").replace(/(call:\d+:\d+):·/g, "$1");
  }

  fields(fields: Readonly<Record<string, string>>): Fact["fields"] {
    return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, this.text(text)]));
  }

  prompt({ system, systemDigest, tools, messages }: SentPrompt): FactPrompt {
    return {
      system: system && this.text(system),
      systemDigest,
      tools: tools && new Map(tools.map((tool) => [tool.name, this.text(canonical(tool))])),
      messages: messages.map((message) => this.#message(message)),
    };
  }

  #message(message: Message): FactMessage {
    const known = this.#messages.get(message) ?? this.#read(message);
    this.#messages.set(message, known);
    return known;
  }

  #read(message: Message): FactMessage {
    if (message.role === "assistant") {
      const { text, calls } = message.reply;
      return {
        name: "reply",
        text: this.text([text, ...calls.map((call) => canonical(call))].filter((part) => part !== "").join("\n")),
      };
    }
    const files = message.attachments === undefined ? [] : [canonical(message.attachments)];
    const name = message.role === "tool" ? `the result of ${effectOf(message.callId, this.#session)}` : "user";
    return { name, text: this.text([message.text, ...files].join("\n")) };
  }
}

/** The text as a regular expression that matches it. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
