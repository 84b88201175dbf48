// The part that all carriers share: the forcing ladder, the filter for watchers, and the reading and repairing of calls.

import type { Model, ModelEvent, ModelRequest, WrittenReply } from "../core/index.js";
import type { Answer, Carrier } from "./data/carrier.js";
import type { Forcing } from "./data/rung.js";
import type { ForcingStep, Ladder } from "./forcing.js";
import { leftOut } from "./left-out.js";
import { readParted, readReply } from "./read/read-reply.js";
import { showingWords } from "./read/shown.js";
import { partThinking } from "./read/thinking.js";
import { soundRequest } from "./sound-request.js";

/** An answer that can be read, with the events that come before its words, and the rung that its request counts for. */
interface Answered {
  readonly answer: Answer;
  readonly events: readonly ModelEvent[];
  readonly rung: Forcing;
}

/**
 * Makes a model over a carrier. The ladder belongs to this model alone. A request is sent once, except in three cases: the provider refused
 * its form or the schema of a tool, or the carrier left out the tools by its own account. Then the request is sent again in another form,
 * or without that tool.
 */
export function modelOver(carrier: Carrier, forcing: Ladder): Model {
  const tools = leftOut();
  const of = `${carrier.name} ${carrier.provider}`;
  /**
   * The events to yield before a request with tools is sent again that was refused on `rung`. They have the step down, unless another
   * request has moved the ladder meanwhile.
   * @throws the refusal, if it is not about forcing or no rung is left.
   */
  function afterRefusal(thrown: unknown, rung: Forcing): readonly ModelEvent[] {
    if (carrier.mistakeIn(thrown) !== undefined) throw thrown;
    if (rung !== forcing.rung && forcing.isRefusal(thrown)) return [rewrite];
    const step = forcing.refused(thrown);
    if (step === undefined) throw thrown;
    return stepped(step);
  }

  /** The step down for an answer whose carrier left out a part of forcing; undefined if the rung stays. */
  function afterSending({ ignored }: Answer, { needsCall }: ModelRequest): ForcingStep | undefined {
    return ignored === undefined || !needsCall ? undefined : forcing.ignored(ignored);
  }

  /** True if the carrier left out the tools, so that the reply can call none, and the request can be sent again on `xml`. */
  function isWithoutTools({ ignored }: Answer, { needsCall }: ModelRequest, rung: Forcing): boolean {
    return needsCall && ignored?.part === "tools" && rung !== "xml" && forcing.rung === "xml";
  }

  /** True if the last reply began within thinking: the server's prompt ends with the opening tag. */
  let isThinkingExpected = false;

  /** Sends the request until an answer can be read. */
  async function* answerTo(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Answered, void> {
    const hasTools = request.tools.length > 0;
    let isPlain = false;
    for (;;) {
      const rung = isPlain ? "xml" : forcing.rung;
      // The prompt may describe any schema in words.
      const offered = rung === "xml" ? request : tools.offered(request);
      let sent: Answer | readonly ModelEvent[];
      try {
        sent = await carrier.send(offered, rung, signal);
      } catch (thrown) {
        const left = carrier.mistakeIn(thrown) === undefined ? tools.refused(thrown, offered) : undefined;
        if (left !== undefined) {
          yield left;
          continue;
        }
        // Without tools there is nothing to force, so the refusal says nothing about the agent's requests.
        if (!hasTools && (rung === "xml" || !forcing.isRefusal(thrown))) throw thrown;
        isPlain = !hasTools;
        sent = hasTools ? afterRefusal(thrown, rung) : [inPlainForm];
      }
      if (!("read" in sent)) {
        yield* sent;
        continue;
      }
      const step = afterSending(sent, request);
      const events = step === undefined ? [] : stepped(step);
      if (!isWithoutTools(sent, request, rung))
        return { answer: sent, events, rung: step === undefined ? rung : forcing.rung };
      sent.leave();
      yield* events.length > 0 ? events : [rewrite];
    }
  }

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    forcing.goOn(learnedIn(request));
    const { answer, events, rung } = yield* answerTo(request, signal);
    const readsText = request.tools.length > 0 && forcing.readsText(!request.needsCall);
    const show = showingWords(readsText ? request.tools : undefined, isThinkingExpected);
    try {
      yield* events;
      while (!answer.hasEnded) {
        const piece = await answer.read();
        for (const event of answer.take(piece)) yield* show.now(event);
      }
    } finally {
      answer.leave();
    }
    const raw = answer.end();
    const parted = partThinking(raw.text, isThinkingExpected, raw.finish === "cut");
    if (raw.text !== "") isThinkingExpected = parted.isOpenedInPrompt;
    const reply = await readParted(raw, parted, request.tools, readsText);
    yield* show.last(reply, raw.finish === "cut");
    if (raw.finishReason !== undefined && reply.finish === "cut") {
      const word = JSON.stringify(raw.finishReason);
      yield {
        type: "reply-retracted",
        reason: `${word} is not known as the end of a whole reply, so it counts as cut.`,
      };
    }
    // A reply to a request on a higher rung says nothing about the rung of now.
    const step = rung === forcing.rung ? forcing.answered(reply, request.needsCall) : undefined;
    if (step !== undefined) yield* stepped(step);
    return forcing.hasStepped ? { ...reply, learned: { forcing: forcing.rung, of } } : reply;
  }

  /** The rung that this model has learned, by the last reply of the conversation, if the reply is one of its own. */
  function learnedIn({ messages }: ModelRequest): string | undefined {
    const last = messages.findLast((message) => message.role === "assistant");
    return last?.reply.learned?.of === of ? last.reply.learned.forcing : undefined;
  }

  const { attachments } = carrier;
  return {
    name: carrier.name,
    provider: carrier.provider,
    ...(attachments !== undefined && { attachments }),
    async *respond(given, signal) {
      const request = soundRequest(given);
      let shown = false;
      const source = attempt(request, signal);
      try {
        signal.throwIfAborted();
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
          shown ||= isShown(next.value);
          yield next.value;
        }
      } catch (error) {
        signal.throwIfAborted();
        const fault = carrier.faultOf(error);
        if (shown) yield { type: "reply-retracted", reason: fault.message };
        const mistake = carrier.mistakeIn(error);
        if (mistake === undefined) throw fault;
        return await readReply(mistake, request.tools, false);
      } finally {
        // If the caller stops reading half way, this ends the request. It does nothing if the attempt has ended.
        await source.return(undefined as never);
      }
    },
  };
}

/** A request without tools is sent again in the form that has no place for them. */
const inPlainForm: ModelEvent = {
  type: "request-adjusted",
  reason: "the server speaks of tools though the request has none: sent again in the plain form",
};

/** The next prompt has other words. */
const rewrite: ModelEvent = { type: "prompt-rewrite", reason: "forcing" };

/** The events of a step down the ladder. */
function stepped(step: ForcingStep): readonly ModelEvent[] {
  return [step, rewrite];
}

/** True for an event that is retracted if the reply fails. */
function isShown({ type }: ModelEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta" || type === "call-delta";
}
