// The worker: loads the reader's code, runs its agent over the stored session, and tells the page what happens. The page may kill it at any time.

import * as lastcall from "lastcall";
import type { Agent, Event } from "lastcall";
import type { BankAnswer, BankRequest, FromWorker, Problem, Start, ToWorker } from "./messages.js";
import { indexedStore, openDatabase } from "./indexed-store.js";
import { withAddresses } from "./program.js";
import { played, repliesIn } from "./scripts-played.js";

type Module = Readonly<Record<string, unknown>>;

/** The modules that code may import. The entries of lastcall are the published ones, for browsers. */
const modules: Readonly<Record<string, () => Promise<Module>>> = {
  lastcall: async () => lastcall,
  "lastcall/schema": () => import("lastcall/schema"),
  "lastcall/model": () => import("lastcall/model"),
  "lastcall/ai-sdk": () => import("lastcall/ai-sdk"),
  "lastcall/tools": () => import("lastcall/tools"),
  "lastcall/checks": () => import("lastcall/checks"),
  "lastcall/memory": () => import("lastcall/memory"),
  "lastcall/testing": () => import("lastcall/testing"),
  "lastcall/evals": () => import("lastcall/evals"),
  "lastcall/host": () => import("lastcall/host"),
  "lastcall/server": () => import("lastcall/server"),
  zod: () => import("zod"),
  "./bank.js": async () => ({ bank }),
};

/** The name of the code in stacks. */
const codeName = "playground.js";

const tell = (message: FromWorker): void => {
  // Events may hold what no message can carry: a function, or an error with a field of its own.
  self.postMessage(JSON.stringify(message, plain));
};

function plain(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return typeof value === "bigint" ? String(value) : value;
  const { name, message, code } = value as Error & { readonly code?: unknown };
  return { name, message, ...(code !== undefined && { code }) };
}

/** The bank of the page: it outlives this worker. */
const bank = {
  pay: (payment: Omit<Extract<BankRequest, { readonly do: "pay" }>, "do">) => asked({ do: "pay", ...payment }),
  books: () => asked({ do: "books" }),
};

let requests = 0;
const waiting = new Map<number, (answer: BankAnswer) => void>();

async function asked(ask: BankRequest): Promise<unknown> {
  requests += 1;
  const request = requests;
  const answer = new Promise<BankAnswer>((resolve) => waiting.set(request, resolve));
  tell({ type: "bank", request, ask });
  return (await answer).value;
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "bank") waiting.get(data.request)?.(data);
  else
    void start(data)
      .catch((thrown: unknown) => {
        tell({ type: "problem", problem: problemOf(thrown) });
      })
      .finally(() => {
        tell({ type: "done" });
      });
};

/** The lines that a page shows of one worker. A loop would write more than anybody reads. */
const mostLines = 500;
let lines = 0;

for (const level of ["log", "info", "warn", "error", "debug"] as const)
  console[level] = (...values: readonly unknown[]) => {
    lines += 1;
    if (lines > mostLines) return;
    if (lines === mostLines) values = ["More is not shown."];
    const text = values.map(shown).join(" ");
    tell({ type: "log", level: level === "warn" || level === "error" ? level : "log", text });
  };

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    return typeof value === "function" || value === undefined ? String(value) : JSON.stringify(value, plain, 1);
  } catch {
    return String(value);
  }
}

self.addEventListener("unhandledrejection", ({ reason }) => {
  tell({ type: "problem", problem: problemOf(reason) });
});

async function start({ code, imports, places, session: id, action, pace, own }: Start): Promise<void> {
  const [{ openSession }, testing] = await Promise.all([import("lastcall/memory"), import("lastcall/testing")]);
  const store = indexedStore(await openDatabase(), (session, lines) => {
    tell({ type: "stored", session, lines });
  });
  const session = openSession({ store, id });
  const before = await session.toJSON();
  const scriptedModel = played({
    scriptedModel: testing.scriptedModel,
    said: repliesIn(before),
    pace,
    ...(own !== undefined && {
      own: (await import("lastcall/model")).openai({ ...own, apiKey: own.apiKey || undefined }),
    }),
    onPrompt: (prompt) => {
      tell({ type: "prompt", prompt });
    },
  });
  const loaded = new Map<string, Module>();
  for (const from of new Set(imports.map(({ from }) => from))) loaded.set(from, await (modules[from]?.() ?? {}));
  for (const { from, names, line } of imports) {
    const missing = names.find((name) => !(name in (loaded.get(from) ?? {})));
    if (missing === undefined) continue;
    tell({ type: "problem", problem: { message: `"${from}" has no export named ${missing}.`, line } });
    return;
  }
  if (loaded.has("lastcall/testing")) loaded.set("lastcall/testing", { ...testing, scriptedModel });
  const { agent, task } = await load({ code, places }, loaded);
  tell({ type: "begun", records: before.records.length });
  const onEvent = (event: Event): void => {
    tell({ type: "event", event });
  };
  if (action.type === "resume") await agent.resume(session, { onEvent });
  else if (action.type === "run") await agent.run(task, { session, onEvent });
  else await agent.run(action.answer, { session, answers: action.answers, onEvent });
}

/** Loads the code as a module, with addresses in place of the names of modules. */
async function load(
  code: Pick<Start, "code" | "places">,
  loaded: ReadonlyMap<string, Module>,
): Promise<{ readonly agent: Agent; readonly task: string }> {
  const addresses = new Map([...loaded].map(([from, module]) => [from, addressOf(module)]));
  const text = withAddresses(code, (from) => addresses.get(from) ?? from);
  const { agent, task } = (await import(/* @vite-ignore */ address(`${text}\n//# sourceURL=${codeName}`))) as Module;
  if (typeof agent !== "object" || agent === null || !("run" in agent && "resume" in agent))
    throw new Error("The code exports no agent. Write: export const agent = createAgent({ … });");
  if (typeof task !== "string" || task.trim() === "")
    throw new Error('The code exports no task. Write: export const task = "…";');
  return { agent: agent as Agent, task };
}

function address(text: string): string {
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}

/** The address of a module with the exports of another. Code in a worker has no import map. */
function addressOf(module: Module): string {
  const key = `playground ${crypto.randomUUID()}`;
  Object.defineProperty(globalThis, key, { value: module });
  const lines = Object.keys(module).map(
    (name, index) => `const e${String(index)} = m[${JSON.stringify(name)}]; export { e${String(index)} as ${name} };`,
  );
  return address([`const m = globalThis[${JSON.stringify(key)}];`, ...lines].join("\n"));
}

/** An error in words, with its line in the code if its stack names one. */
function problemOf(thrown: unknown): Problem {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [, line, column] =
    new RegExp(`${codeName}:(\\d+):(\\d+)`).exec((thrown as Partial<Error> | null)?.stack ?? "") ?? [];
  return { message, ...(line !== undefined && { line: Number(line), column: Number(column) }) };
}
