// Conformance of permissions: one case per sentence of the contract of the permission port, tested alone and in an agent.

import type { AnyPermission, Deciding, Decision, Effect, FrozenCall, Later, Permission } from "../../core/index.js";
import { readLater } from "../../core/internal.js";
import { settleSoon, withPort, type ConformanceCase, type Disposable } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { anyTool, finish, hostedRun } from "./hosted.js";
import { call } from "../scripted/script.js";

/** Makes a new permission for each case. Its `Symbol.asyncDispose`, if any, is called after the case. */
export type PermissionMaker = () => Disposable<AnyPermission> | Promise<Disposable<AnyPermission>>;

/** The cases of the permission port. They do not depend on which calls the permission allows. */
export function permissionConformance(make: PermissionMaker): readonly ConformanceCase[] {
  const each = (name: string, work: (permission: AnyPermission) => Promise<void>): ConformanceCase => ({
    name,
    run: () => withPort(make, work),
  });
  return [
    each("answers with a Decision, yes or no, or with Later, and the reason in words", async (permission) => {
      for (const effect of effects) {
        const answer: unknown = await permission.decide(callOf(effect), deciding());
        const { allowed, reason, later } = (answer ?? {}) as Partial<Record<keyof (Decision & Later), unknown>>;
        const what = `its answer to a tool with the effect ${effect ?? "(none declared)"} is ${show(answer)}`;
        const isLater = later === true && allowed === undefined;
        demand(isLater || typeof allowed === "boolean", `${what}: allowed must be true or false, or later true`);
        demand(typeof reason === "string" && reason !== "", `${what}: reason must be words`);
      }
    }),
    each("decides without a person as it decides with one, where it can", async (permission) => {
      for (const effect of effects) {
        const alone = await permission.unasked?.(callOf(effect), deciding());
        if (alone === undefined) continue;
        const answer = (await permission.decide(callOf(effect), deciding())) as Partial<Decision>;
        demandEqual(alone.allowed, answer.allowed, `a tool with the effect ${effect ?? "(none declared)"}, allowed`);
      }
    }),
    each("changes nothing of the call", async (permission) => {
      for (const effect of effects) {
        const asked = callOf(effect);
        await permission.decide(asked, deciding());
        demandEqual(asked, callOf(effect), "the call after it was asked");
      }
    }),
    each("settles soon after an abort", async (permission) => {
      for (const effect of effects) await abortWhile(permission, effect);
    }),
    each("what it saw is the input that runs", (permission) =>
      host(permission, ({ seen, ran }) => {
        for (const input of ran)
          demand(seen.includes(input), `${show(input)} ran, which permission was not asked about`);
      }),
    ),
    each("a call runs where it said a clear yes, and nowhere else", (permission) =>
      host(permission, ({ yes, ran }) => {
        demandEqual(ran, yes, "the inputs that ran, against those it allowed");
      }),
    ),
  ];
}

const effects: readonly (Effect | undefined)[] = [undefined, "none", "read", "write", "execute", "network"];

function callOf(effect: Effect | undefined): FrozenCall {
  const input = { path: "notes.txt", lines: [1, 2], options: { force: true }, command: "rm notes.txt" };
  return { id: "s/1/call:1:0", name: `use_${effect ?? "anything"}`, effect, input };
}

function deciding(signal: AbortSignal = new AbortController().signal): Deciding {
  return { signal, session: "s", preview: () => Promise.resolve(undefined) };
}

async function abortWhile(permission: AnyPermission, effect: Effect | undefined): Promise<void> {
  const abort = new AbortController();
  const answering = (async () => permission.decide(callOf(effect), deciding(abort.signal)))();
  setTimeout(() => {
    abort.abort();
  }, 10);
  await Promise.race([
    new Promise((resolve) => {
      setTimeout(resolve, 10);
    }),
    answering.catch(() => undefined),
  ]);
  await settleSoon(answering, `decide, asked about the effect ${effect ?? "(none declared)"},`);
}

/** The inputs of the calls in an agent with the permission: asked about, allowed, and run. */
interface Hosted {
  readonly seen: readonly unknown[];
  readonly yes: readonly unknown[];
  readonly ran: readonly unknown[];
}

async function host(permission: AnyPermission, inspect: (hosted: Hosted) => void): Promise<void> {
  const hosted = { seen: [] as unknown[], yes: [] as unknown[], ran: [] as unknown[] };
  const tools = effects.map((effect) =>
    anyTool(callOf(effect).name, effect, (approved) => void hosted.ran.push(approved)),
  );
  const probe: Permission = {
    async decide(asked, deciding) {
      if (asked.name === finish.name) return { allowed: true, reason: "it ends the run" };
      hosted.seen.push(asked.input);
      const answer: unknown = await permission.decide(asked, deciding);
      const { allowed, reason } = (answer ?? {}) as Partial<Record<keyof Decision, unknown>>;
      if (allowed === true && typeof reason === "string") hosted.yes.push(asked.input);
      // The run of this case goes on: a call that waits does not run, as a denied call.
      return readLater(answer) === undefined ? (answer as Decision) : { allowed: false, reason: "it waits" };
    },
  };
  const calls = effects.map((effect) => call(callOf(effect).name, callOf(effect).input));
  const outcome = await hostedRun([calls, [call(finish.name)]], { tools: [...tools, finish], permission: probe });
  demandEqual(outcome.status, "completed", "how the run ended");
  inspect(hosted);
}
