// Failures for calls that did not run and claims that were not accepted, although nothing was wrong with their form.

import { failure, type Failure } from "../data/failure.js";
import { toJson } from "../data/json.js";
import { joinNames } from "./join-names.js";

/** The failure of a call in a reply that the provider refused. */
export function refusedReply(tool: string): Failure {
  return failure("interrupted", {
    tool,
    message: "The provider refused this reply, so nothing in it was run.",
    advice: "Go another way.",
  });
}

/** The failure of a claim when another call in its reply failed. */
export function failedSibling(tool: string, siblings: readonly Failure[]): Failure {
  const names = siblings.map((sibling) => `${sibling.tool ?? "a call"} (${sibling.kind})`);
  return failure("claim_refused", {
    tool,
    message: `Not accepted, because another call in the same reply failed: ${joinNames(names, "and")}.`,
    advice: `Mend that first, see that it succeeds, and then call ${tool} again.`,
  });
}

/** The failure of a claim when a declared check failed. */
export function failedCheck(tool: string, check: string, output: string): Failure {
  return failure("check_failed", {
    tool,
    message: `Not accepted, because the check "${check}" did not pass. It said:\n${output}`,
    advice: `Make the check pass, then call ${tool} again.`,
  });
}

/** The failure of a call that does not end the run, made in the closing iteration. */
export function closingCall(tool: string): Failure {
  return failure("closing", {
    tool,
    message: "Not run: the run is being closed, and only a call that ends it is accepted now.",
    advice: "Nothing: the run ends here.",
  });
}

/** The failure of a call that permission denied. */
export function denied(tool: string, reason: string, input: unknown): Failure {
  return failure("denied", {
    tool,
    message: `This call was not allowed: ${reason}.`,
    advice: "Do not try it again in other words. Go on without it, or end the run and say what is missing.",
    input,
  });
}

/** The failure of a call that asked the user and got no answer in time. */
export function unansweredQuestion(tool: string): Failure {
  return failure("interrupted", {
    tool,
    message: "It asked the user, and no answer came in time, so it did not go on.",
    advice: "Go on as you think best, or call it again if the answer is still needed.",
  });
}

/** The failure of a call that the caller's client did not carry out before the user went on. */
export function notCarriedOut(tool: string): Failure {
  return failure("interrupted", {
    tool,
    message: "The user's client has not carried it out, or has not said so: the user went on meanwhile.",
    advice: "Go on with the user's words, or call it again if it is still needed.",
  });
}

/** The error of a call in the background that asks the user. */
export function askedInBackground(tool: string, question: unknown): string {
  const asked = toJson(question) ?? "";
  return `${tool} asks the user, and nobody can be asked in the background. It asked: ${asked}`;
}

/** The failure of a completion while work goes on in the background. */
export function openWork(tool: string, work: readonly { readonly work: string; readonly name: string }[]): Failure {
  const names = work.map(({ work: id, name }) => `${id} (${name})`);
  return failure("claim_refused", {
    tool,
    message: `Not accepted, because work goes on in the background, or its result was not told yet: ${joinNames(names, "and")}.`,
    advice: `Await it with background_result, or stop it with background_stop. Then call ${tool} again.`,
  });
}

const interruptions = {
  gone: [
    "while this ran in the background, and it is gone. Its outcome is unknown: it may have happened, wholly, in part or not at all.",
    "Look at what is there, and start it again if it is still needed.",
  ],
  before: ["before this call ran.", "Call it again if it is still needed."],
  harmless: ["while this ran. It changes nothing.", "Call it again if it is still needed."],
  unknown: [
    "while this ran. Its outcome is unknown: it may have happened, wholly, in part or not at all.",
    "Look at what is there before you repeat it.",
  ],
} as const;

/** The failure of a call without a result: the run was aborted, its time was up, or its process died. `when` says how far the call came. */
export function interrupted(tool: string, when: keyof typeof interruptions): Failure {
  const [words, advice] = interruptions[when];
  return failure("interrupted", { tool, message: `The run was interrupted ${words}`, advice });
}
