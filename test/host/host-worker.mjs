// A process of a host, for tests that kill it: takes orders over IPC, and kills itself once at the point that a session is named after.
// Argument: JSON with the kind of the host, the folder of the sessions, the address of Postgres, and the options.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, existsSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, tool } from "lastcall";
import { hostOnDbos } from "lastcall/dbos";
import { hostInProcess } from "lastcall/host";
import { fileStore } from "lastcall/memory";
import { pgStore } from "lastcall/postgres";
import { hostOnRestate } from "lastcall/restate";
import { askQuestion, taskCompletion } from "lastcall/tools";
import pg from "pg";
import { z } from "zod";

const { kind, folder, url, stored, options = {}, delay = 20 } = JSON.parse(process.argv[2]);
const sessions = join(folder, "sessions");

function note(what) {
  appendFileSync(join(folder, "log"), `${JSON.stringify({ pid: process.pid, ...what })}\n`);
}

const { warn } = console;
console.warn = (...said) => {
  note({ what: "warning", text: said.map(String).join(" ") });
  warn(...said);
};

/** Dies at a point of a session that is named after it, once for all processes. */
function dieAt(point, session) {
  if (point === "request" && session.startsWith("poison-")) process.kill(process.pid, "SIGKILL");
  if (!session.startsWith(`die-${point}-`)) return;
  try {
    openSync(join(folder, `died-${session}`), "wx");
  } catch {
    return;
  }
  note({ what: "dies", session });
  process.kill(process.pid, "SIGKILL");
}

/** The digests of the bytes of all attachments, if there are any. */
function filesOf(messages, bytesOf) {
  const files = messages.flatMap(({ attachments = [] }) => attachments.map((attachment) => bytesOf?.(attachment)));
  const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
  return files.length === 0 ? {} : { files: files.map((bytes) => (bytes === undefined ? "gone" : digest(bytes))) };
}

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

/** Goes by the prompt: every life asks the same. */
const model = {
  name: "by-the-prompt",
  async *respond({ key, messages, bytesOf }, signal) {
    const session = key.split("/")[0];
    const turn = messages.filter(({ role }) => role === "assistant").length;
    note({ what: "request", key, ...filesOf(messages, bytesOf) });
    if (turn === 1) dieAt("request", session);
    if (session.startsWith("short-")) {
      const calls = [{ type: "call", name: "ask_question", input: { question: "Go on?" } }];
      return { text: "", finish: "complete", usage, calls };
    }
    if (session.startsWith("speaks-")) return yield* speak(session, turn, signal);
    await sleep(session.startsWith("slow-") ? 60_000 : delay, undefined, { signal });
    const plan = [
      [
        ["charge", { number: turn }],
        ["peek", {}],
        ["peek", {}],
      ],
      [["charge", { number: turn }]],
      [[session.includes("pays") ? "pay" : "ask_question", session.includes("pays") ? {} : { question: "Go on?" }]],
      [["charge", { number: turn }]],
    ];
    const calls = plan[turn] ?? [["task_completion", { result: `after ${String(turn)}` }]];
    return {
      text: "",
      finish: "complete",
      usage,
      calls: calls.map(([name, input]) => ({ type: "call", name, input })),
    };
  },
};

/** Waits until the test says that it has seen the words so far. A life after a death waits for a word of its own. */
async function untilSeen(session) {
  const told = existsSync(join(folder, `died-${session.slice("speaks-".length)}`)) ? "seen-again" : "seen";
  for (let looks = 0; looks < 1000 && !existsSync(join(folder, `${told}-${session}`)); looks += 1) await sleep(20);
}

/**
 * The words of a reply, one after the other; in the middle of them a wait for those who watch, and `dieAt("words")`. Then a question, and
 * after its answer the end.
 */
async function* speak(session, turn, signal) {
  let text = "";
  for (let number = 0; number < 20; number += 1) {
    const word = `word ${String(turn)}.${String(number)} `;
    text += word;
    yield { type: "text-delta", text: word };
    if (number === 10 && turn === 0) await untilSeen(session);
    if (number === 10) dieAt("words", session.slice("speaks-".length));
    await sleep(delay, undefined, { signal });
  }
  const [name, input] = turn === 0 ? ["ask_question", { question: "Go on?" }] : ["task_completion", { result: "said" }];
  return { text, finish: "complete", usage, calls: [{ type: "call", name, input }] };
}

const work = (name, effect, input = {}) =>
  tool({
    name,
    description: name,
    effect,
    input: z.object(input),
    async run(_input, { callId }) {
      const session = callId.split("/")[0];
      note({ what: "begin", key: callId });
      if (name === "charge") dieAt("call", session);
      await sleep(delay);
      note({ what: "end", key: callId, effect });
      return "ok";
    },
  });

const worker = createAgent({
  model,
  tools: [
    work("charge", "network", { number: z.number() }),
    work("peek", "read"),
    work("pay", "network"),
    askQuestion(),
    taskCompletion(),
  ],
  permission: ({ name }) => (name === "pay" ? { later: true, reason: "money" } : { allowed: true }),
});

const agents = { worker };
const onEvent = (event, session) => {
  note({ what: "event", type: event.type, session });
  // The journal has the end, and the host does not know of it.
  if (event.type === "run-end") dieAt("end", session);
};
const pool = url !== undefined ? new pg.Pool({ connectionString: url, max: 20 }) : undefined;
pool?.on("error", () => undefined);
const store = stored === "postgres" ? pgStore(pool) : fileStore(sessions);

/** A free port, told to the balancer. */
async function ownPort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  appendFileSync(join(folder, "ports"), `${port}\n`);
  return port;
}

const makers = {
  process: () => hostInProcess({ agents, store, onEvent, ...options }),
  dbos: () => hostOnDbos({ agents, store, pool, onEvent, poll: 50, heartbeatTimeout: 1000, ...options }),
  restate: async () => hostOnRestate({ agents, store, onEvent, listen: { port: await ownPort() }, ...options }),
};
const host = await makers[kind]();

/** Bytes that are in use. */
function memory() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", async ({ id, order, argument, extra }) => {
  try {
    if (order === "memory") return void process.send({ id, result: memory() });
    const result = await host[order](argument, extra);
    const isRun = typeof result?.ended === "function";
    process.send({ id, result: isRun ? extra !== "begin" && (await result.ended()) : result });
  } catch (thrown) {
    process.send?.({ id, error: thrown.message });
  }
});
let closes = false;
process.on("SIGTERM", async () => {
  if (closes) return;
  closes = true;
  const late = await host.close({ timeout: 2000 });
  note({ what: "closed", late });
  await pool?.end();
  process.exit(0);
});
process.on("disconnect", () => process.exit(1));
note({ what: "up" });
process.send({ up: true });
