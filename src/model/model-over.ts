// The part that all carriers share: the forcing ladder, the filter for watchers, and the reading and repairing of calls.

import type { Model, ModelEvent, ModelRequest, WrittenReply } from "../core/index.js";
import type { Answer, Carrier } from "./data/carrier.js";
import type { ForcingStep, Ladder } from "./forcing.js";
import { readReply } from "./read/read-reply.js";
import { showing } from "./read/shown.js";

/**
 * Makes a model over a carrier. The ladder belongs to this model alone. A request is sent once. It is sent again only in another form, if
 * the provider refused the first.
 */
export function modelOver(carrier: Carrier, forcing: Ladder): Model {
  /** The step down for a request that was refused. @throws the refusal, if it is about something else. */
  function afterRefusal(thrown: unknown): ForcingStep {
    const step = carrier.mistakeIn(thrown) === undefined ? forcing.refused(thrown) : undefined;
    if (step === undefined) throw thrown;
    return step;
  }

  /** The step down for an answer whose carrier left out a part of forcing; undefined if the rung stays. */
  function afterSending({ ignored }: Answer, { needsCall }: ModelRequest): ForcingStep | undefined {
    return ignored === undefined || !needsCall ? undefined : forcing.ignored(ignored);
  }

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    let answer: Answer | undefined;
    while (answer === undefined) {
      let sent: Answer | readonly ModelEvent[];
      try {
        sent = await carrier.send(request, forcing.rung, signal);
      } catch (thrown) {
        sent = stepped(afterRefusal(thrown));
      }
      if (!("read" in sent)) {
        yield* sent;
        continue;
      }
      const step = afterSending(sent, request);
      // A reply to a request without its tools can't call any. A request without the choice may.
      if (step?.to === "xml") sent.leave();
      else answer = sent;
      if (step !== undefined) yield* stepped(step);
    }
    const readsText = forcing.readsText(!request.needsCall && request.tools.length > 0);
    const filter = showing(readsText ? request.tools : undefined);
    try {
      while (!answer.hasEnded) {
        const piece = await answer.read();
        for (const event of answer.take(piece)) yield* filter.now(event);
      }
    } finally {
      answer.leave();
    }
    const reply = await readReply(answer.end(), request.tools, readsText);
    yield* filter.last(reply);
    const step = forcing.answered(reply, request.needsCall);
    if (step !== undefined) yield* stepped(step);
    return reply;
  }

  const { attachments } = carrier;
  return {
    name: carrier.name,
    provider: carrier.provider,
    ...(attachments !== undefined && { attachments }),
    async *respond(request, signal) {
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
        // Does nothing if the attempt has ended. If the reply is left half read, the answer is left here.
        await source.return(undefined as never);
      }
    },
  };
}

/** The events of a step down the ladder: the next prompt has other words. */
function stepped(step: ForcingStep): readonly ModelEvent[] {
  return [step, { type: "prompt-rewrite", reason: "forcing" }];
}

/** True for an event that is retracted if the reply fails. */
function isShown({ type }: ModelEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta" || type === "call-delta";
}
