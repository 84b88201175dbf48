// Ask: sends the prompt to the model, yields the chunks of its reply as events, and records the whole reply.

import type { ReadableCall, Reply, Usage } from "../data/call.js";
import { EarlyStart } from "../call/start-early.js";
import { LastcallError } from "../data/fault.js";
import { around, inContext } from "../ports/hook.js";
import { Ledger } from "../journal/ledger.js";
import { keptReply, type Message } from "../data/message.js";
import type { ModelRequest, WrittenReply } from "../ports/model.js";
import { narrate } from "./narrate.js";
import { isOverflow, overflow, recall } from "./recall.js";
import { follow } from "../time/abort.js";
import { Suspended, type Suspension } from "../time/suspension.js";
import { requestName, type AgentParts, type Run } from "../run/run.js";
import { priceOf, projectUsage, replyTokens, spentOn } from "../journal/spent.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Recalls the prompt, sends it, gives the calls of the reply their ids, and records the reply. If no prompt fits the window, records an
 * overflow instead.
 */
export function ask(run: Run): Stage {
  return run.suspension === undefined ? askFor(run) : askUnlessSuspended(run, run.suspension);
}

/** Asks on a view of the run whose signal aborts when the run is to be suspended. Nothing of a reply in progress is in the journal. */
function* askUnlessSuspended(run: Run, { signal }: Suspension): Stage {
  const stop = new AbortController();
  const unfollow = follow(stop, run.signal, signal);
  try {
    yield* askFor(run.within(stop.signal));
  } catch (thrown) {
    if (run.signal.aborted || !signal.aborted || thrown instanceof LastcallError) throw thrown;
    throw new Suspended(signal);
  } finally {
    unfollow();
  }
}

function* askFor(run: Run): Stage {
  const iteration = run.state.iteration + 1;
  yield { type: "iteration-start", iteration };
  const name = requestName(iteration, run.state.closing !== undefined);
  let refusal: LastcallError | undefined;
  // A prompt that the provider refused as too long is sent once more, if the memory can shorten it.
  for (const attempt of [name, `${name}:again`]) {
    const prompt = yield* recall(run, run.key(`fold:${attempt}`), refusal);
    if (prompt === undefined) return;
    if (refusal !== undefined && !prompt.isChanged) break;
    try {
      return yield* send(run, { iteration, key: run.key(`model:${attempt}`), messages: prompt.messages });
    } catch (thrown) {
      if (!isOverflow(thrown)) throw thrown;
      refusal = thrown;
    }
  }
  if (refusal !== undefined) yield* wait(overflow(run, refusal));
}

/** The messages of one request, with the number of their iteration and the key of the request. */
interface Outgoing {
  readonly iteration: number;
  readonly key: string;
  readonly messages: readonly Message[];
}

function* send(run: Run, { iteration, key, messages }: Outgoing): Stage {
  const { model, system, tools, hooks, onText, runtime } = run.parts;
  const attached = run.ledger.attachments;
  const request: ModelRequest = {
    key,
    system,
    messages,
    tools: tools.descriptions,
    needsCall: onText === undefined,
    ...(attached.length > 0 && { bytesOf: yield* wait(run.attachments.load(attached)) }),
  };
  yield { type: "request-start", key: request.key, messages: messages.length, tools: tools.names };
  const respond = around(
    hooks.map((hook) => inContext(hook.request?.bind(hook), run.context)),
    (value: ModelRequest) => {
      if (value.messages !== messages) new Ledger().take(value.messages, false);
      return model.respond(value, run.signal);
    },
    run.signal,
  );
  const idOf = (index: number): string => run.key(`call:${String(iteration)}:${String(index)}`);
  const early = run.parts.startsEarly && run.state.closing === undefined ? new EarlyStart(run, idOf) : undefined;
  const asked = runtime.now();
  const narrating = narrate(respond(request), { tools, runtime, signal: run.signal, early });
  const written = readText(keptReply(yield* narrating), onText);
  const reply = { ...written, calls: written.calls.map((call, index) => ({ ...call, id: idOf(index) })) };
  for (const [index, call] of reply.calls.entries()) {
    const repairs = call.type === "call" ? (call.repairs ?? []) : [];
    if (repairs.length > 0) yield { type: "call-healed", call: index, name: call.name, repairs };
  }
  yield { type: "reply-end", reply };
  yield* wait(recordReply(run, { iteration, reply, asked }));
}

/** A reply, and the time at which its request began. */
interface Answered {
  readonly iteration: number;
  readonly reply: Reply;
  readonly asked: number;
}

/** Records the reply with its usage, and settles that usage in the budgets of the runs around this run. */
async function recordReply(run: Run, { iteration, reply, asked }: Answered): Promise<void> {
  const { prompt } = run.state;
  const { overhead, limits } = run.parts;
  const price = reply.model === undefined ? run.parts.price : priceOf(reply.model, limits.prices);
  const { inputTokens, outputTokens } = reply.usage;
  const isReported = inputTokens + outputTokens > 0;
  const estimate = (): Usage => ({ ...projectUsage(prompt, overhead), outputTokens: replyTokens(reply) });
  const spent = spentOn(isReported ? reply.usage : estimate(), price);
  const characters = overhead + run.ledger.characters;
  await run.append({ type: "reply", iteration, reply, spent, characters, asked });
  await run.purse.settleNext(spent);
}

/** With `onText`, turns a complete reply of words alone into a call of that tool. An empty reply stays without calls. */
function readText(reply: WrittenReply, onText: AgentParts["onText"]): WrittenReply {
  const { text, calls, finish } = reply;
  if (onText === undefined || calls.length > 0 || finish !== "complete" || text.trim() === "") return reply;
  const call: ReadableCall = { type: "call", name: onText.tool, input: { [onText.field]: text } };
  return { ...reply, text: "", calls: [call] };
}
