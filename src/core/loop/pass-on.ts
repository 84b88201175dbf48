// Hand-over: passes the run to another agent, or back. Its tools, instructions, model and checks count from here on.

import { baseline } from "./baseline.js";
import { failure, type Failure } from "../data/failure.js";
import type { ResolvedCall } from "../call/resolve.js";
import { recordResult } from "../call/perform.js";
import { estimateTokens } from "../journal/spent.js";
import { withNewTexts } from "../run/definition-to-record.js";
import { nonceFor } from "../run/nonce.js";
import type { AgentParts, Run } from "../run/run.js";
import { handOverText } from "../words/notices.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** The value of a call that passes the run on. */
export interface Passing {
  /** The name of the next agent. Absent if the run goes back to the agent that it came from. */
  readonly to?: string;
  /** The words for the next agent. */
  readonly message: string;
}

/** Passes the run on and records it, or records why not as the result of the call. */
export function* handOver(run: Run, { call, tool }: ResolvedCall, value: unknown): Stage {
  const { to, message } = value as Passing;
  const { speakers: from } = run.state;
  const { sees = "all", max = 0 } = tool.handsOver ?? {};
  const objection = objectionTo(run, tool.name, { to, max });
  if (objection !== undefined) return yield* recordResult(run, call, { ok: false, failure: objection });
  const speakers = to === undefined ? from.slice(0, -1) : [...from, to];
  const next = run.partsOf(speakers);
  const text = handOverText(speakers.at(-1), sees, message);
  yield* wait(
    run.append({
      type: "hand-over",
      callId: call.id,
      speakers,
      text,
      definition: withNewTexts(run.state, next.definition),
      ...(run.state.nonce === undefined && nonceFor(next)),
      ...(sees === "summary" && { tokens: estimateTokens(charactersLeft(run, next) + text.length) }),
    }),
  );
  run.takeSpeaker();
  yield { type: "hand-over", callId: call.id, tool: tool.name, from, to: speakers };
  yield* baseline(run);
}

/** The characters of a prompt with nothing but the words of the user. */
function charactersLeft({ state }: Run, { overhead }: AgentParts): number {
  return overhead + state.inputs.join("").length;
}

function objectionTo(
  { state: { speakers, handOvers } }: Run,
  tool: string,
  { to, max }: { readonly to: string | undefined; readonly max: number },
): Failure | undefined {
  if (to === undefined && speakers.length === 0) {
    const message = "Nobody has handed the session over to you, so there is nobody to hand it back to.";
    return failure("tool_error", { tool, message, advice: "Go on yourself." });
  }
  if (to === undefined || handOvers < max) return undefined;
  const message = `The session was handed over ${String(handOvers)} times in this run, and that is the most.`;
  return failure("tool_error", { tool, message, advice: "Go on yourself, or end the run and say what is missing." });
}
