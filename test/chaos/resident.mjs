// A process that runs agents again and again, and says what it still holds: files, sockets, timers, children, listeners, memory.

import { getEventListeners } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createAgent, LastcallError, tool } from "../../dist/index.js";
import { fileStore, openSession, windowed } from "../../dist/memory/index.js";
import { openai } from "../../dist/model/index.js";
import { allowAll } from "../../dist/permission/index.js";
import { askQuestion, giveUp, taskCompletion, workspaceTools } from "../../dist/tools/index.js";

const { endings, url, path, rounds } = JSON.parse(process.argv[2] ?? "{}");
const store = fileStore(path);
const shared = new AbortController();

/** One run that ends so, on a session of its own. The provider goes by the task. */
async function end(ending, number) {
  const isLost = ending === "failed for its store";
  let left = 5;
  const failing = {
    ...store,
    async lock(...taken) {
      const lock = await store.lock(...taken);
      const append = async (lines, flush) => {
        left -= 1;
        if (left < 0) throw new LastcallError("store", "The disk is full.");
        await lock.append(lines, flush);
      };
      return "append" in lock ? { ...lock, append } : lock;
    },
  };
  const session = openSession({ store: isLost ? failing : store, id: `s${number}` });
  const model = openai({ baseURL: url, model: "m", steady: { attempts: 2, firstDelay: 1 }, forcing: "auto" });
  const memory = windowed({ window: ending === "stopped for its window" ? 1000 : 100_000 });
  const tools = [...workspaceTools({ root: process.cwd() }), askQuestion(), giveUp(), taskCompletion()];
  const slow = tool({
    name: "slow",
    description: "Takes its time",
    input: { type: "object", properties: {} },
    timeout: 50,
    run: (_input, { signal }) => wait(10_000, undefined, { signal }),
  });
  const agent = createAgent({
    model,
    tools: [...tools, slow],
    permission: allowAll(),
    memory,
    limits: { maxIterations: 20, timeout: 60_000 },
  });
  const abort = new AbortController();
  const signal = ending.startsWith("aborted") ? AbortSignal.any([shared.signal, abort.signal]) : shared.signal;
  const events = agent.stream(`Do this: ${ending}.`, { session, signal });
  for await (const event of events) {
    if (ending === "aborted in a reply" && event.type === "text-delta") abort.abort();
    // The command is at work a moment after it is announced.
    if (ending === "aborted in a command" && event.type === "call-decision") setTimeout(() => abort.abort(), 100);
    if (ending === "left" && event.type === "call-start") break;
  }
  return (await events.outcome).status;
}

/** What there is now; numbers of files that stay open from one run to the next do not matter, more and more of them do. */
async function held() {
  await wait(50);
  globalThis.gc();
  const children = `/proc/self/task/${process.pid}/children`;
  return {
    resources: process
      .getActiveResourcesInfo()
      .filter((name) => !/^(TCPSocketWrap|TLSWrap|PipeWrap|TTYWrap|FSReqPromise)$/.test(name)),
    files: existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0,
    children: existsSync(children) ? readFileSync(children, "utf8").trim() : "",
    listeners: getEventListeners(shared.signal, "abort").length,
    exits: process.listenerCount("exit"),
    heap: process.memoryUsage().heapUsed,
  };
}

const statuses = {};
const seen = [];
let number = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const ending of endings) statuses[ending] = await end(ending, (number += 1));
  seen.push(await held());
}
console.log(JSON.stringify({ statuses, seen }));
