// The model of a replay: it says what the recording says, and asks nobody.

import { LastcallError, type FaultCode, type Model, type WrittenReply } from "../../core/index.js";
import { effectOf } from "./recording.js";
import type { Replaying } from "./replaying.js";

/** The model in place of the agent's own. Its name counts for prices, and its media types for attachments. */
export function recordedModel({ name, provider, models, attachments }: Model, replaying: Replaying): Model {
  return {
    name,
    provider,
    ...(models !== undefined && { models }),
    ...(attachments !== undefined && { attachments }),
    async *respond({ key }, signal) {
      signal.throwIfAborted();
      const next = replaying.nextReply();
      if (next === undefined) throw pastEnd(replaying, key);
      expectRewrites(replaying, key);
      replaying.takeReply();
      replaying.clock.reach(next.at);
      const { calls, ...reply } = next.reply;
      const written: WrittenReply = { ...reply, calls: calls.map(({ id: _id, ...call }) => call) };
      return written;
    },
  };
}

/** The end of the recording: the fault of the recorded run, or an abort. */
function pastEnd(replaying: Replaying, key: string): unknown {
  const { recording, place, stop } = replaying;
  const end = recording.end(place.run);
  if (end?.status === "failed") return new LastcallError((end.reason ?? "bug") as FaultCode, end.message ?? "");
  if (end === undefined) replaying.open.push(place.run);
  else if (end.status !== "aborted") replaying.past = effectOf(key, recording.session.id);
  const message = end?.status === "aborted" ? (end.message ?? "It was aborted.") : "The recording ends here.";
  const reason = new DOMException(message, "AbortError");
  stop.abort(reason);
  return reason;
}

/**
 * If the recorded prompt was shortened here and this one was not, the provider had refused the longer one. So does this model, once.
 * @throws LastcallError `context_overflow`
 */
function expectRewrites({ recording, place, shortened }: Replaying, key: string): void {
  if (shortened >= recording.rewrites(place) || key.includes(":again")) return;
  throw new LastcallError(
    "context_overflow",
    "The provider refused this prompt as too long when the run was recorded.",
  );
}
