// One run of one case through the whole library. A server sends the case's replies, and everything that happens is recorded.

import { endingReply, repliesOf, streamedReply, turnReply } from "./replies.mjs";
import { startServer } from "./server.mjs";
import { namesOf, permissionOf, toolsOf } from "./tools.mjs";
import { watchProcess } from "./watch.mjs";

/** The maximum number of requests in a run. */
export const mostRequests = 60;

/** The time that a run may take after an abort, in milliseconds. */
const grace = 1000;

/** The forms in which a case is run: the model options, and the expectation that applies. */
export function formsOf({ shape, expect, expect_native_only: native }) {
  if (shape === "native") return [{ reach: { forcing: "required" }, expected: expect, label: "" }];
  if (shape === "xml") return [{ reach: { forcing: "xml" }, expected: expect, label: "" }];
  const on = { reach: { forcing: "auto", textCalls: true }, expected: expect, label: "text calls on" };
  if (native === undefined) return [on];
  return [on, { reach: { forcing: "auto", textCalls: false }, expected: native, label: "text calls off" }];
}

/**
 * Runs the case in one form and returns the evidence: the exchanges with the server, the events, the calls, the outcome, and the
 * measurements of the process. Each event and call has the kind of reply it came from.
 */
export async function runCase(given, { reach, expected }, { library, bound }) {
  const evidence = { executed: [], permitted: [], happened: [], names: namesOf(given), given, tooMany: false };
  const abort = new AbortController();
  const whole = answering(given, expected, evidence, abort);
  const streamed = (number, body) => {
    const { from, reply } = whole(number, body);
    return { from, reply: streamedReply(reply) };
  };
  const server = await startServer(library.streamsOnly ? streamed : whole);
  evidence.exchanges = server.exchanges;
  const watch = watchProcess();
  try {
    const agent = agentFor(given, { library, reach, url: server.url, evidence });
    Object.assign(evidence, await settle(agent, { given, bound, abort, evidence }));
  } catch (thrown) {
    evidence.thrown = thrown;
  } finally {
    evidence.process = await watch.end();
    await server.close();
  }
  return evidence;
}

/** Chooses the reply to each request: first the earlier turns, then the case's replies, then the call that ends the run. */
function answering({ history = [], ...given }, { outcome }, evidence, abort) {
  const turns = history.filter(({ role }) => role === "assistant").map(turnReply);
  const replies = repliesOf(given);
  return (number, body) => {
    if (number > mostRequests) {
      evidence.tooMany = true;
      abort.abort();
    }
    const turn = turns[number - 1];
    if (turn !== undefined) return { from: "history", reply: turn };
    const index = number - 1 - turns.length;
    const reply = replies[outcome === "bounded" ? Math.min(index, replies.length - 1) : index];
    if (reply !== undefined) return { from: "case", reply };
    return { from: "end", reply: endingReply({ isNative: Array.isArray(body.tools) && body.tools.length > 0 }) };
  };
}

/** The idle timeout of the model in milliseconds: short if the case tests silence, otherwise long enough for a busy machine. */
function idleTimeoutFor({ raw }) {
  return raw?.end === "never" ? 300 : 3000;
}

function agentFor(given, { library: { createAgent, tool, openai }, reach, url, evidence }) {
  const { names, executed, permitted } = evidence;
  const last = () => evidence.exchanges.at(-1);
  const model = openai({
    ...{ baseURL: url, apiKey: "none", model: "wild", idleTimeout: idleTimeoutFor(given), ...reach },
    steady: { attempts: 2, firstDelay: 1, maxDelay: 5, maxRetryAfter: 50 },
  });
  const ran = (call) => {
    // After an accepted claim or the end of the run, no tool may run.
    const isLate = evidence.happened.some(({ event: { type } }) => type === "claim-accepted" || type === "run-end");
    executed.push({ ...call, from: last()?.from, isEarly: last()?.isSent !== true, isLate });
  };
  const seen = (call) => permitted.push({ ...call, from: last()?.from });
  return createAgent({ model, tools: toolsOf(given, { tool, names, ran }), permission: permissionOf({ seen }) });
}

/** Waits for the outcome, but not longer than `bound` milliseconds. */
async function settle(agent, { given, bound, abort, evidence }) {
  const input = given.history?.find(({ role }) => role === "user")?.content ?? "Do what is to be done.";
  const onEvent = (event) => evidence.happened.push({ event, from: evidence.exchanges.at(-1)?.from });
  const run = agent.run(input, { signal: abort.signal, onEvent });
  const began = performance.now();
  const late = Symbol("late");
  let timer;
  const clock = (milliseconds) =>
    new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds, late);
    });
  try {
    const first = await Promise.race([run, clock(bound)]);
    if (first !== late) return { outcome: first, took: performance.now() - began, hangs: false };
    abort.abort();
    clearTimeout(timer);
    await Promise.race([run.catch(() => undefined), clock(grace)]);
    return { outcome: undefined, took: performance.now() - began, hangs: true };
  } finally {
    clearTimeout(timer);
  }
}
