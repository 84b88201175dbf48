// A host over an engine: it checks inputs, finds their agents, and gives them to the engine.

import { createHash } from "node:crypto";
import { LastcallError, type Input } from "../core/index.js";
import { checkOptions, explain, milliseconds, onAbort } from "../core/internal.js";
import { openSession, recordsAfter } from "../memory/index.js";
import { nameKept, pickAgent } from "./agents.js";
import type { Delivery, Engine } from "./engine.js";
import type {
  Host,
  HostAnswer,
  HostApproval,
  HostCloseOptions,
  HostedRun,
  HostInput,
  HostPlan,
  HostTerms,
  HostWords,
  QueueTerms,
} from "./host.js";
import { checkPlan, giveByClock, nameAt } from "./plans.js";

const queueOptions = { priority: true, tenant: true } satisfies Record<keyof QueueTerms, true>;
const termOptions = { ...queueOptions, inputId: true } satisfies Record<keyof HostTerms, true>;
const inputOptions = { ...termOptions, session: true, input: true, agent: true } satisfies Record<
  keyof HostInput,
  true
>;
const wordOptions = { ...termOptions, session: true, input: true } satisfies Record<keyof HostWords, true>;
const answerOptions = { ...wordOptions, callId: true } satisfies Record<keyof HostAnswer, true>;
const approvalOptions = {
  ...termOptions,
  ...{ session: true, callId: true, digest: true, allowed: true, reason: true, always: true },
} satisfies Record<keyof HostApproval, true>;
const planOptions = {
  ...{ name: true, at: true, every: true, session: true, agent: true, input: true },
} satisfies Record<keyof HostPlan, true>;
const closeOptions = { grace: true } satisfies Record<keyof HostCloseOptions, true>;

/** An input, or the wish to go on, before its agent is known. */
interface Giving extends HostTerms {
  readonly session: string;
  readonly agent?: string | undefined;
  readonly input?: Input | undefined;
  readonly answers?: string | undefined;
  readonly resumeFrom?: number | undefined;
}

/** Makes a host over an engine. */
export function hostOver(engine: Engine): Host {
  return new EngineHost(engine);
}

class EngineHost implements Host {
  readonly #engine: Engine;
  readonly #closed = new AbortController();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async start(input: HostInput): Promise<HostedRun> {
    checkOptions("start", input, inputOptions);
    const { session = crypto.randomUUID(), inputId = crypto.randomUUID() } = input;
    return this.#give({ ...input, session, inputId });
  }

  async answer({ callId, ...answer }: HostAnswer): Promise<HostedRun> {
    checkOptions("answer", { callId, ...answer }, answerOptions);
    return this.#give({ ...answer, answers: callId });
  }

  async approve(approval: HostApproval): Promise<HostedRun> {
    checkOptions("approve", approval, approvalOptions);
    const { session, callId, digest, allowed, reason, always, ...terms } = approval;
    if (typeof (digest as unknown) !== "string" || digest === "")
      throw wrong("An approval needs the digest of the call that was shown: `waiting.digest` of the end of its run.");
    const due = await openSession({ store: this.#engine.store, id: session }).waiting();
    const shown = due?.approval?.digest ?? (due !== undefined && "approves" in due ? due.approves : undefined);
    if (due?.id === callId && shown !== undefined && shown !== digest)
      throw wrong(`The call ${callId} has the digest ${shown}, and the approval one of ${digest}: look at the call.`);
    const said = { ...(reason !== undefined && { reason }), ...(always !== undefined && { always }) };
    return this.#give({ ...terms, session, answers: callId, input: { allowed, digest, ...said } });
  }

  async steer(words: HostWords): Promise<HostedRun> {
    checkOptions("steer", words, wordOptions);
    const { session, input, inputId = crypto.randomUUID() } = words;
    this.#check(words);
    if (typeof (input as unknown) !== "string" || input === "") throw wrong("steer takes words: give a text.");
    // A run that is at work finds them there at once, even if no place is free for their delivery.
    await openSession({ store: this.#engine.store, id: session }).send({ id: inputId, text: input });
    return this.#give({ ...words, inputId });
  }

  async resume(session: string, terms: QueueTerms = {}): Promise<HostedRun> {
    checkOptions("resume", terms, queueOptions);
    const { store } = this.#engine;
    const { length } = await recordsAfter({ store, id: session });
    if (length === 0) throw wrong(`The session ${session} has no run yet: start one with an input.`);
    const due = await openSession({ store, id: session }).waiting();
    if (due !== undefined) throw wrong(`The session ${session} waits for an answer to the call ${due.id}: answer it.`);
    return this.#give({ ...terms, session, inputId: crypto.randomUUID(), resumeFrom: length });
  }

  async abort(session: string, reason = "aborted over the host"): Promise<boolean> {
    const { store } = this.#engine;
    const words = (await store.messages(session)).map(({ id }) => id);
    const isAborted = await this.#engine.abort(session, reason);
    if (words.length > 0) await store.drop(session, words);
    return isAborted || words.length > 0;
  }

  async schedule(plan: HostPlan): Promise<() => void> {
    checkOptions("schedule", plan, planOptions);
    checkPlan(plan);
    this.#check({});
    const { at, every, input, agent } = plan;
    const give = (time: number, due?: number): Promise<HostedRun> => {
      const name = nameAt(plan, time);
      return this.#give({ session: plan.session ?? name, agent, input, inputId: name }, due);
    };
    const end = new AbortController();
    const stop = (): void => {
      end.abort();
    };
    if (at !== undefined) await give(at, at);
    if (every === undefined) return stop;
    onAbort(this.#closed.signal, stop);
    const onFault = (thrown: unknown): void => {
      console.warn(`lastcall: the plan ${plan.name} could not give its input: ${explain(thrown)}`);
    };
    void giveByClock(every, give, { signal: end.signal, onFault });
    return stop;
  }

  async close(options: HostCloseOptions = {}): Promise<readonly string[]> {
    checkOptions("close", options, closeOptions);
    const grace = milliseconds("grace", options.grace ?? 10_000);
    this.#closed.abort();
    return this.#engine.close(grace);
  }

  #check({ priority, tenant }: HostTerms): void {
    const { name, terms } = this.#engine;
    if (this.#closed.signal.aborted) throw wrong("The host closes, and takes no inputs any more.");
    for (const [term, value] of Object.entries({ priority, tenant }))
      if (value !== undefined && !terms.some((known) => known === term))
        throw wrong(`${name} has no ${term} as it was made: leave it out, or see its options.`);
    if (priority !== undefined && !(Number.isInteger(priority) && priority >= 1 && priority < 2 ** 31))
      throw wrong(`priority is ${String(priority)}: give a whole number from 1 to 2,147,483,647.`);
    if (tenant === "") throw wrong("tenant is empty: give a name, or leave it out.");
  }

  async #give(giving: Giving, at?: number): Promise<HostedRun> {
    this.#check(giving);
    const { store, agents } = this.#engine;
    const { session, input, inputId, answers, resumeFrom, priority, tenant } = giving;
    const { name } = pickAgent(agents, session, { own: await nameKept(store, session), wanted: giving.agent });
    const delivery: Delivery = { session, agent: name, input, inputId, answers, resumeFrom, priority, tenant };
    const given = await this.#engine.give(delivery, at);
    return { session, inputId, ended: () => given.ended() };
  }
}

/** A name of a delivery that is the same whenever it is given again: by the id of its input, or by the call and the answer to it. */
export function deliveryKey({ inputId, answers = "", input }: Delivery): string {
  if (inputId !== undefined) return `i:${inputId}`;
  const answer = createHash("sha256")
    .update(JSON.stringify([answers, input]))
    .digest("hex");
  return `a:${answer.slice(0, 32)}`;
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
