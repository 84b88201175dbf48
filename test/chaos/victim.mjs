// A process that lives one life of a session: it begins the task, answers its question, or goes on with what another one left, until
// the task is done or it is killed. Where it stops to be killed is said by `CHAOS_AT`; every port is wrapped from outside for that.

import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, readFileSync } from "node:fs";
import { barrier, tell, watchFiles } from "./barrier.mjs";

const { kind, path, url, outside, story, apart, answer, wait, idle, begin, speed } = JSON.parse(
  process.argv[2] ?? "{}",
);
if ((process.env.CHAOS_AT ?? "").startsWith("P16")) watchFiles(path);

// The head of an answer has come. The client tells of it, whether it is undici's dispatcher or Node's fetch.
subscribe("undici:request:headers", () => barrier("P3"));

const { createAgent, tool } = await import("../../dist/index.js");
const { openSession, transcript, windowed } = await import("../../dist/memory/index.js");
const { storeOf } = await import("./store-of.mjs");
const { openai } = await import("../../dist/model/index.js");
const { askQuestion, taskCompletion } = await import("../../dist/tools/index.js");

const input = {
  type: "object",
  properties: { what: { type: "string" } },
  required: ["what"],
  additionalProperties: false,
};

/** Has its effect outside of the session: a line in a file, by which everything is judged. */
async function effect(what, { callId }) {
  await pause();
  appendFileSync(outside, `${JSON.stringify({ what, callId, pid: process.pid })}\n`);
  barrier(`P10-${what}`);
  barrier("P10");
  await pause();
  return `did ${what}`;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * wait));

const working = { input, effect: "write" };
const tools = [
  tool({
    ...working,
    name: "deploy",
    description: "Deploys",
    run: ({ what }, context) => effect(`deploy ${what}`, context),
  }),
  tool({
    ...working,
    name: "mark",
    description: "Marks",
    idempotent: true,
    run: ({ what }, context) => effect(`mark ${what}`, context),
  }),
  tool({ ...working, name: "look", description: "Looks", effect: "read", run: ({ what }) => `saw ${what}` }),
  tool({
    ...working,
    name: "sign",
    description: "Signs",
    isLoopBreaking: true,
    run: ({ what }, context) => effect(`sign ${what}`, context),
  }),
  askQuestion(),
  taskCompletion(),
];

const check = {
  name: "marked",
  verify: () => {
    barrier("P13-check");
    const output = readFileSync(outside, "utf8");
    return { passed: output.includes("mark c") || story === "fold", output };
  },
};

/** Nothing is approved while the process lives: it answers later, and takes the answer that is in the journal. */
const parking = {
  decide({ id, effect }, { approval }) {
    if (effect !== "write") return { allowed: true, reason: "it is harmless" };
    barrier("P8");
    if (approval?.allowed) tell({ allowed: id });
    return approval ?? { later: true, reason: "it ships something" };
  },
};

const asking = async ({ id }) => {
  barrier("P8");
  await pause();
  tell({ allowed: id });
  return true;
};

/** Stops while a reply arrives, at the first words and the first piece of a call, and once it has arrived. */
function halting(model, [whileText, whileCall, atEnd]) {
  return {
    ...model,
    async *respond(request, signal) {
      const replying = model.respond(request, signal);
      let [hasWords, hasCall] = [false, false];
      for (;;) {
        const next = await replying.next();
        if (next.done) {
          barrier(atEnd);
          return next.value;
        }
        const { type, text } = next.value;
        if (type === "text-delta" && !hasWords) {
          hasWords = true;
          barrier(whileText);
        }
        if (type === "call-delta" && text !== "" && !hasCall) {
          hasCall = true;
          barrier(whileCall);
        }
        yield next.value;
      }
    },
  };
}

const retries = { steady: { firstDelay: 1 }, ...(idle && { idleTimeout: idle }) };
const model = halting(openai({ baseURL: url, model: "story", ...retries }), ["P4", "P5", "P6"]);
const summarize = halting(openai({ baseURL: url, model: "summary", ...retries }), ["P15", "P15", "P15-written"]);

function memory(session) {
  const made = story === "fold" ? windowed({ window: 4000, keep: 1, summarize })(session) : transcript(session);
  return {
    records: made.records,
    append: made.append,
    recall(recalling) {
      barrier("P1");
      return made.recall(recalling);
    },
  };
}

/** Where a record is about to be kept, and where it was. */
const before = { result: "P11", claim: "P13", outcome: "P13-ended" };
const after = {
  input: "P0-input",
  reply: "P7",
  intent: "P9",
  result: "P12",
  iteration: "P12-closed",
  claim: "P13-claimed",
  fold: "P15-folded",
  parked: "parked-kept",
  outcome: "P14",
};

/** A clock that runs faster, so that a lock that is not renewed gets stale soon. */
const now = () => begin + (Date.now() - begin) * speed;
const store = await storeOf(kind, path, now);
const watched = {
  ...store,
  async lock(id, holder) {
    const lock = await store.lock(id, holder);
    if (!("append" in lock)) return lock;
    barrier("P0");
    return {
      ...lock,
      async append(lines, flush) {
        const types = lines.map((line) => JSON.parse(line).type);
        for (const type of types) barrier(before[type]);
        barrier("append-before");
        await lock.append(lines, flush);
        for (const type of types) barrier(after[type]);
        barrier("append-after");
      },
    };
  },
};

const permission = story === "park" ? parking : asking;
const agent = createAgent({ model, tools, memory, permission, checks: [check] });
const session = openSession({ store: watched, id: "s" });

for (;;) {
  const { records } = await session.toJSON();
  const last = records.findLast(({ type }) => type === "outcome" || type === "input");
  if (last?.status === "completed") break;
  const answers = records.findLast(({ type }) => type === "claim")?.callId;
  const due = story === "park" ? await session.waiting() : undefined;
  const approve = ({ id, approval: { digest } }) => agent.run({ allowed: true, digest }, { session, answers: id });
  const outcome = await (last === undefined
    ? agent.run("Ship it.", { session })
    : answer !== undefined
      ? agent.run({ allowed: answer.allowed }, { session, answers: answer.id })
      : due !== undefined
        ? approve(due)
        : last.status === "waiting" && story !== "park"
          ? agent.run("The left one.", { session, answers })
          : agent.resume(session));
  barrier("P14-told");
  const { status, usage, iterations, fault, joined, session: kept } = outcome;
  const run = kept.records.filter(({ type }) => type === "input").length;
  tell({ status, usage, iterations, run, ...(joined && { joined }), ...(fault && { fault: fault.message }) });
  if (apart || answer !== undefined || status === "failed") break;
}
await store[Symbol.asyncDispose]?.();
