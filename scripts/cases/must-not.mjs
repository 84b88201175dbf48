// The `must_not` conditions by name. Each is a function of the evidence that describes the violation, or returns undefined.

import {
  eventsOfCase,
  executedByCase,
  failuresOfCase,
  harnessWords,
  journalProblem,
  laterExchanges,
  nextExchange,
  pairingProblem,
  show,
  textsIn,
} from "./evidence.mjs";
import { mostRequests } from "./stage.mjs";

/** The most bytes that the process may grow during a case. */
const mostGrowth = 300 * 1024 * 1024;

/** The most consecutive characters of an argument that may be repeated to the model. */
const mostEcho = 2000;

/** The block size for the search: any run of more than `mostEcho` characters contains a whole block. */
const block = mostEcho / 2;

const words = {
  "execute-any": (evidence) => named(executedByCase(evidence)[0]),
  "drop-silently": droppedSilently,
  "unpaired-call": unpaired,
  "commit-as-complete-turn": committed,
  "execute-before-stream-end": ({ executed }) => named(executed.find(({ isEarly }) => isEarly)),
  "execute-after-exit-event": ({ executed }) => named(executed.find(({ isLate }) => isLate)),
  "exit-loop": exitedLoop,
  "echo-full-argument": echoed,
  "path-with-control-char": pathWithControl,
  "prototype-changed": ({ process: { prototypeChange } }) => prototypeChange,
  "prototype-lookup": (evidence) => named(executedByCase(evidence)[0]) ?? bug(evidence),
  "setTimeout-overflow": overflowed,
  "stack-overflow": stackOverflow,
  "unbounded-memory": ({ process: { growth }, hangs }) => {
    if (hangs) return "the run does not settle";
    return growth < mostGrowth ? undefined : `the process grew by ${Math.round(growth / 1024 / 1024)} MiB`;
  },
  hang: ({ hangs }) => (hangs ? "the run does not settle" : undefined),
  "infinite-loop": ({ exchanges, tooMany }) =>
    tooMany || exchanges.length > mostRequests ? `${exchanges.length} requests` : undefined,
  "sixth-request": ({ exchanges }) => {
    const count = exchanges.filter(({ from }) => from !== "history").length;
    return count > 5 ? `${count} requests` : undefined;
  },
  "unhandled-rejection": ({ process: { rejections } }) =>
    rejections.length > 0 ? `a rejection nobody handled: ${show(String(rejections[0]))}` : undefined,
};

const known = new Map(Object.entries(words));

/** Finds the function for a name; `execute:<tool>` names a tool. */
export const mustNots = {
  /** @returns {((evidence: any) => string | undefined) | undefined} */
  find(word) {
    const [, tool] = /^execute:(.+)$/s.exec(word) ?? [];
    if (tool === undefined) return known.get(word);
    return (evidence) => named(executedByCase(evidence).find(({ name }) => name === tool));
  },
};

function named(call) {
  return call === undefined ? undefined : `${call.name} ran with ${show(call.input)}`;
}

function bug({ outcome }) {
  return outcome?.status === "failed" && outcome.fault.code === "bug" ? show(outcome.fault.message) : undefined;
}

/** If part of a reply could not be read, the model must be told. */
function droppedSilently(evidence) {
  if (failuresOfCase(evidence).length === 0) return "nothing was said to have failed";
  const isTold = nextExchange(evidence) === undefined || harnessWords(evidence) !== "";
  return isTold ? undefined : "the model was not told";
}

/** Checks that the journal has no reply from the case's bytes. */
function committed(evidence) {
  const { exchanges, outcome } = evidence;
  const kept = (outcome?.session.records ?? []).filter(({ type }) => type === "reply").length;
  const others = exchanges.filter(({ from }) => from !== "case").length;
  return eventsOfCase(evidence, "reply-end").length > 0 || kept > others ? "the reply is in the journal" : undefined;
}

function unpaired(evidence) {
  for (const { body } of laterExchanges(evidence)) {
    const problem = pairingProblem(body);
    if (problem !== undefined) return problem;
  }
  return journalProblem(evidence);
}

function exitedLoop(evidence) {
  const { outcome } = evidence;
  if (outcome === undefined || nextExchange(evidence) !== undefined) return undefined;
  return outcome.status === "completed" || outcome.status === "waiting"
    ? `the run ended ${outcome.status} with this very reply`
    : undefined;
}

function pathWithControl({ executed, permitted }) {
  const inputs = [...executed.map(({ input }) => input), ...permitted.map(({ call }) => call.input)];
  const paths = inputs.flatMap((input) =>
    Object.entries(input ?? {}).flatMap(([key, value]) => (/path|file|dir/i.test(key) ? textsIn(value) : [])),
  );
  const bad = paths.find((path) => /\p{Cc}/u.test(path));
  return bad === undefined ? undefined : JSON.stringify(bad);
}

function overflowed(evidence) {
  const warning = evidence.process.warnings.find(({ name }) => name === "TimeoutOverflowWarning");
  return warning === undefined ? named(executedByCase(evidence)[0]) : warning.message;
}

function stackOverflow({ outcome, happened, thrown }) {
  const causes = [];
  for (let fault = outcome?.fault ?? thrown; fault !== undefined && fault !== null; fault = fault.cause)
    causes.push(fault);
  if (causes.some((cause) => cause instanceof RangeError)) return "the outcome is a RangeError";
  const texts = [...causes.map((cause) => String(cause.message ?? cause)), ...happened.flatMap(wordsOf)];
  return texts.some((text) => /maximum call stack|RangeError/i.test(text))
    ? "a stack overflow was reported"
    : undefined;
}

/** The error messages in an event. */
function wordsOf({ event }) {
  const { failure, result, reason } = event;
  return [failure?.message, result?.failure?.message, reason].filter((text) => typeof text === "string");
}

/** Checks that no request repeats more than `mostEcho` consecutive characters of an argument, raw or parsed. */
function echoed(evidence) {
  const { raw } = evidence.given;
  const written = new Set(textsIn(raw, { nested: true }).filter((text) => text.length > mostEcho));
  for (const { body } of laterExchanges(evidence)) {
    const said = textsIn(body.messages, { nested: true }).filter((text) => text.length > mostEcho);
    for (const argument of written) {
      if (said.some((text) => sharesMuch(text, argument))) return "more than 2000 characters of an argument in a row";
    }
  }
  return undefined;
}

/** True if the texts share a run of more than `mostEcho` characters. */
function sharesMuch(text, argument) {
  for (let start = 0; start + block <= argument.length; start += block) {
    const piece = argument.slice(start, start + block);
    for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
      let from = 0;
      while (from < start && from < at && text[at - from - 1] === argument[start - from - 1]) from += 1;
      let to = block;
      while (from + to <= mostEcho && at + to < text.length && text[at + to] === argument[start + to]) to += 1;
      if (from + to > mostEcho) return true;
    }
  }
  return false;
}
