// Conformance of models: one case per sentence of the contract of the model port, with scripted replies.

import { LastcallError, noUsage, type Model, type ModelEvent, type ModelRequest } from "../../core/index.js";
import type { WrittenReply } from "../../core/index.js";
import { settleSoon, withPort, type ConformanceCase, type Disposable } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { call, writeInput, type Script, type ScriptedCall, type ScriptedReply } from "../scripted/script.js";

/**
 * Makes a model that answers from the script: `scriptedModel(script)`, or an adapter connected to `scriptedProvider(script)`,
 * with or without its retries. Its `Symbol.asyncDispose`, if any, is called after each case.
 */
export type ModelMaker = (script: Script) => Disposable<Model> | Promise<Disposable<Model>>;

interface Answer {
  readonly events: readonly ModelEvent[];
  readonly reply: WrittenReply | undefined;
  readonly fault: unknown;
}

type Work = (model: Model) => Promise<void>;

/** The cases of the model port. Adapters with retries pass too, because a reply that is cut is cut on every attempt. */
export function modelConformance(make: ModelMaker): readonly ConformanceCase[] {
  const scripted = (name: string, script: Script, work: Work): ConformanceCase => ({
    name,
    run: () => withPort(() => make(script), work),
  });
  return [
    ...wholeReplies(scripted),
    ...brokenReplies(scripted),
    ...(["before it is asked", "before the first byte", "while a reply arrives"] as const).map((when) =>
      scripted(
        `settles soon after an abort ${when}`,
        [{ ...long, ...(when.includes("byte") && { delay: 1500 }) }],
        (model) => abortAt(model, when),
      ),
    ),
  ];
}

type Scripted = (name: string, script: Script, work: Work) => ConformanceCase;

const usage = { inputTokens: 12, cachedInputTokens: 8, outputTokens: 5, reasoningTokens: 2 };
const lookups: readonly ScriptedCall[] = [call("lookup", { key: "a" }), call("list"), call("lookup", '{ "key": "b" }')];
const spoken: ScriptedReply = {
  reasoning: "Let me see.",
  text: "Looking – 👀 – now.",
  calls: lookups,
  usage,
  piece: 3,
};
const broken: readonly ScriptedCall[] = [call("lookup", '{"key": '), call("list", {}), call("lookup", "no arguments")];
const long: ScriptedReply = { text: "word ".repeat(15), piece: 5, pause: 100 };

function wholeReplies(scripted: Scripted): readonly ConformanceCase[] {
  return [
    scripted("returns the words and nothing of the reasoning", [spoken], async (model) => {
      const { reply } = await whole(model);
      demandEqual(reply.text, spoken.text, "the text of the reply");
      demandEqual(reply.finish, "complete", "how the reply finished");
    }),
    scripted("returns every call, in order, as it was written", [spoken], async (model) => {
      const { reply } = await whole(model);
      const names = lookups.map(({ name }) => name);
      demandEqual(
        reply.calls.map(({ name }) => name),
        names,
        "the calls",
      );
      for (const [index, written] of reply.calls.entries()) {
        const source = writeInput(lookups[index]?.input);
        demandEqual(written.type, "call", `call ${String(index)} of the reply`);
        demandEqual(sourceOf(written), source, `the arguments of call ${String(index)} as written`);
        if (written.type === "call")
          demandEqual(written.input, JSON.parse(source), `the input of call ${String(index)}`);
      }
    }),
    scripted("yields pieces that add up to the reply it returns", [spoken], async (model) => {
      const { events, reply } = await whole(model);
      const words = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
      demand(
        words.length === 0 || words.join("") === reply.text,
        `the pieces are ${show(words)}, the text ${show(reply.text)}`,
      );
      const shown = new Map<number, string>();
      for (const event of events) {
        if (event.type === "call-delta") shown.set(event.index, (shown.get(event.index) ?? "") + event.text);
      }
      for (const [index, text] of shown) {
        const written = reply.calls[index];
        demand(written !== undefined, `pieces of call ${String(index)} were shown, which is not in the reply`);
        demandEqual(text, sourceOf(written), `the pieces of call ${String(index)}`);
      }
    }),
    scripted("says what the reply cost", [spoken], async (model) => {
      demandEqual((await whole(model)).reply.usage, { ...noUsage, ...usage }, "the usage of the reply");
    }),
    scripted("never changes the request", [spoken], async (model) => {
      const sent = request();
      await whole(model, sent);
      demandEqual(sent, request(), "the request after the reply");
    }),
    scripted("ends after its one reply", [spoken, "a second reply"], async (model) => {
      const source = model.respond(request(), idle());
      while ((await source.next()).done !== true);
      demandEqual(await source.next(), { done: true, value: undefined }, "what follows the reply");
    }),
    scripted(
      "says that a reply was cut by its length limit",
      [{ text: "And so", finishReason: "length" }],
      async (model) => {
        demandEqual((await whole(model)).reply.finish, "cut", "how the reply finished");
      },
    ),
    scripted(
      "says that a reply was refused by the filter",
      [{ text: "I", finishReason: "content_filter" }],
      async (model) => {
        demandEqual((await whole(model)).reply.finish, "refused", "how the reply finished");
      },
    ),
    scripted("returns an empty reply as one", [""], async (model) => {
      const { reply } = await whole(model);
      demandEqual([reply.text, reply.calls], ["", []], "the text and the calls of an empty reply");
    }),
  ];
}

function brokenReplies(scripted: Scripted): readonly ConformanceCase[] {
  return [
    scripted(
      "returns a call that can't be read as an UnreadableCall, and the others beside it",
      [broken],
      async (model) => {
        const { reply } = await whole(model);
        demandEqual(
          reply.calls.map(({ type, name }) => `${type} ${name}`),
          ["unreadable-call lookup", "call list", "unreadable-call lookup"],
          "the calls",
        );
        for (const [index, written] of reply.calls.entries()) {
          demandEqual(sourceOf(written), writeInput(broken[index]?.input), `the text of call ${String(index)}`);
          if (written.type === "call") continue;
          demand(written.problem !== "", `call ${String(index)} does not say what is wrong with it`);
        }
      },
    ),
    ...(["end", "reset"] as const).flatMap((cut) => [
      scripted(
        `returns no reply that broke off (${cut})`,
        () => ({ ...spoken, cut }),
        async (model) => {
          const { reply, fault } = await answerOf(model);
          demand(reply === undefined, `it returned ${show(reply)}`);
          demandFault(fault, "provider_unavailable");
        },
      ),
      scripted(
        `retracts what it has shown of a reply that broke off (${cut})`,
        () => ({ ...spoken, cut }),
        async (model) => {
          const { events } = await answerOf(model);
          const shown = events.findLastIndex(({ type }) => type.endsWith("-delta"));
          const retracted = events.findLastIndex(({ type }) => type === "reply-retracted");
          demand(shown < 0 || retracted > shown, `it showed ${show(events[shown])} and did not take it back`);
        },
      ),
    ]),
    scripted(
      "throws a LastcallError where the provider rejects the request",
      () => ({ status: 400 }),
      async (model) => {
        demandFault((await answerOf(model)).fault, "provider_rejected");
      },
    ),
    scripted(
      "throws a LastcallError where the provider refuses the key",
      () => ({ status: 401 }),
      async (model) => {
        demandFault((await answerOf(model)).fault, "authentication");
      },
    ),
  ];
}

function demandFault(fault: unknown, code: LastcallError["code"]): void {
  demand(fault instanceof LastcallError, `it threw ${show(fault)}, which is no LastcallError`);
  demandEqual(fault.code, code, "the code of the fault");
}

type When = "before it is asked" | "before the first byte" | "while a reply arrives";

async function abortAt(model: Model, when: When): Promise<void> {
  const abort = new AbortController();
  if (when === "before it is asked") abort.abort();
  const source = model.respond(request(), abort.signal);
  if (when === "while a reply arrives") await source.next();
  const rest = (async () => {
    while ((await source.next()).done !== true);
  })();
  if (!abort.signal.aborted) {
    setTimeout(() => {
      abort.abort();
    }, 20);
    await new Promise<void>((resolve) => {
      abort.signal.addEventListener("abort", () => {
        resolve();
      });
    });
  }
  demandEqual(await settleSoon(rest, "respond"), "threw", "what it did when it was aborted");
}

/** The arguments of a call as the model wrote them. */
function sourceOf(written: WrittenReply["calls"][number]): string {
  return written.type === "call" ? (written.source ?? JSON.stringify(written.input)) : written.source;
}

function idle(): AbortSignal {
  return new AbortController().signal;
}

/** Asks once. Throws unless a reply is returned. */
async function whole(model: Model, sent?: ModelRequest): Promise<Answer & { readonly reply: WrittenReply }> {
  const { events, reply, fault } = await answerOf(model, sent);
  demand(reply !== undefined, `it returned no reply and threw ${show(fault)}`);
  return { events, reply, fault };
}

async function answerOf(model: Model, sent: ModelRequest = request()): Promise<Answer> {
  const events: ModelEvent[] = [];
  try {
    const source = model.respond(sent, idle());
    for (;;) {
      const next = await source.next();
      if (next.done === true) return { events, reply: next.value, fault: undefined };
      events.push(next.value);
    }
  } catch (fault) {
    return { events, reply: undefined, fault };
  }
}

/** A request from the middle of a session: every role, a readable call and an unreadable call. */
function request(): ModelRequest {
  const calls = [
    { type: "call", id: "s/1/call:1:0", name: "lookup", input: { key: "z" }, providerId: "call_1" },
    {
      type: "unreadable-call",
      id: "s/1/call:1:1",
      kind: "malformed_call",
      name: "lookup",
      source: "{",
      problem: "It is not JSON.",
    },
  ] as const;
  const key = { type: "object", properties: { key: { type: "string" } }, required: ["key"] };
  return {
    key: "s/1/model:2",
    system: "Look things up.",
    messages: [
      { role: "user", text: "Go." },
      { role: "assistant", reply: { text: "", calls, finish: "complete", usage: noUsage } },
      { role: "tool", callId: "s/1/call:1:0", text: "value of z", ok: true },
      { role: "tool", callId: "s/1/call:1:1", text: "ERROR malformed_call", ok: false },
      { role: "user", text: "On." },
    ],
    tools: [
      { name: "list", description: "Lists the keys", parameters: { type: "object", properties: {} } },
      { name: "lookup", description: "Looks up a key", parameters: key },
    ],
    needsCall: true,
  };
}
