// A host over an engine: it checks deliveries, finds their agents, and gives them to the engine.

import {
  LastcallError,
  type Attachment,
  type Input,
  type JournalRecord,
  type JsonObject,
  type Principal,
} from "../core/index.js";
import {
  checkOptions,
  listOf,
  type OptionKinds,
  needed,
  expectApprover,
  explain,
  hasApproverRule,
  hasNoEnd,
  isBlank,
  onAbort,
  runState,
  takes,
  waitingIn,
  readPrincipal,
} from "../core/internal.js";
import { openSession, type Store } from "../memory/index.js";
import { attachmentsIn, keepAttachments, readStored } from "../memory/stores.js";
import { nameIn, pickAgent } from "./agents.js";
import type { Delivery, QueueTerms } from "./delivery/delivery.js";
import type { RunWatcher } from "./delivery/run-watcher.js";
import { hasCall } from "./delivery/delivery-state.js";
import type { HostAgent } from "./delivery/host-agent.js";
import { stopText } from "./delivery/stop-text.js";
import type { Engine } from "./engine.js";
import type { Host, HostCloseOptions, HostedRun, HostPlan } from "./host.js";
import { readMessage } from "./left-sessions.js";
import { checkPlan, giveByClock, nameAt } from "./plans.js";
import { workOf } from "./work.js";

const deliveryOptions = {
  session: "text",
  agent: "text",
  input: ["text", "object"],
  answers: "text",
  inputId: "text",
  attachments: listOf("object"),
  by: "object",
  resumeFrom: "number",
  priority: "number",
  tenant: "text",
  clientTools: listOf("object"),
} satisfies OptionKinds<Delivery>;
const planOptions = {
  name: needed("text"),
  at: "number",
  every: "number",
  session: "text",
  agent: "text",
  input: needed(["text", "object"]),
} satisfies OptionKinds<HostPlan>;
const closeOptions = { timeout: "number" } satisfies OptionKinds<HostCloseOptions>;

/** Makes a host over an engine. */
export function hostOver(engine: Engine): Host {
  return new EngineHost(engine);
}

/** True if the agent of the session has a rule that says who may answer its calls that wait. False if the host can't tell its agents. */
export async function hasRuleFor(host: Host, session: string): Promise<boolean> {
  return host instanceof EngineHost && host.hasApproverRule(session);
}

class EngineHost implements Host {
  readonly store: Store;
  readonly agents: readonly string[];
  readonly #engine: Engine;
  readonly #closed = new AbortController();
  #closing: Promise<readonly string[]> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.store = engine.store;
    this.agents = Object.keys(engine.agents);
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async give(delivery: Delivery): Promise<HostedRun> {
    checkOptions("give", delivery, deliveryOptions);
    return this.#give(delivery);
  }

  async abort(session: string, reason = "aborted over the host", by?: Principal): Promise<boolean> {
    const isAborted = await this.#engine.abort(session, stopText(reason, by && readPrincipal(by, "by")));
    // All these words have deliveries as well, so words that were given meanwhile are not lost.
    const words = (await this.store.messages(session)).map(({ id }) => id);
    if (words.length > 0) await this.store.drop(session, words);
    // The words are withdrawn, and a run that is out of reach goes on.
    return isAborted || (words.length > 0 && !hasNoEnd((await readStored(this.store, session)).records));
  }

  async schedule(plan: HostPlan): Promise<() => void> {
    checkOptions("schedule", plan, planOptions);
    checkPlan(plan);
    const { at, every, input, agent } = plan;
    this.#check({ input });
    const give = (time: number, due?: number): Promise<HostedRun> => {
      const name = nameAt(plan, time);
      return this.#give({ session: plan.session ?? name, agent, input, inputId: name }, due);
    };
    const end = new AbortController();
    const stop = (): void => {
      end.abort();
    };
    if (at !== undefined && every === undefined) await give(at, at);
    if (every === undefined) return stop;
    onAbort(this.#closed.signal, stop);
    const onFault = (thrown: unknown): void => {
      console.warn(`lastcall: the plan ${plan.name} could not give its input: ${explain(thrown)}`);
    };
    void giveByClock({ every, at }, give, { signal: end.signal, onFault });
    return stop;
  }

  watch(watcher: RunWatcher): () => void {
    return this.#engine.watch(watcher);
  }

  async close(options: HostCloseOptions = {}): Promise<readonly string[]> {
    checkOptions("close", options, closeOptions);
    this.#closed.abort();
    // A second signal to end the process waits for the first close.
    this.#closing ??= this.#engine.close(options.timeout ?? 10_000);
    return this.#closing;
  }

  #check({ priority, tenant, input }: QueueTerms & Pick<Delivery, "input">): void {
    const { name, terms } = this.#engine;
    if (this.isClosed) throw closing();
    if (typeof input === "string" && isBlank(input)) throw wrong("The input is blank: give it words.");
    for (const [term, value] of Object.entries({ priority, tenant }))
      if (value !== undefined && !terms.some((known) => known === term))
        throw wrong(`${name} has no ${term} as it was made: leave it out, or see its options.`);
    if (priority !== undefined && !(Number.isInteger(priority) && priority >= 1 && priority < 2 ** 31))
      throw wrong(`priority is ${String(priority)}: give a whole number from 1 to 2,147,483,647.`);
    if (tenant === "") throw wrong("tenant is empty: give a name, or leave it out.");
  }

  async #give(delivery: Delivery, at?: number): Promise<HostedRun> {
    this.#check(delivery);
    const { session: id = crypto.randomUUID(), input, attachments: files = [], agent: wanted, ...terms } = delivery;
    const by = terms.by && readPrincipal(terms.by, "by");
    const givenAt = at ?? Date.now();
    const { about, records } = await readStored(this.store, id);
    const agent = this.#agentName(id, about, wanted);
    const place = placeOf(id, delivery, { records, givenAt });
    const isNew = !records.some((record) => takes(record, { inputId: place.inputId }));
    const asked = isNew && place.answers !== undefined ? await this.#agentFor(id, agent, about) : undefined;
    if (asked !== undefined) await expectApprover(asked, records, { input, answers: place.answers, by });
    const attachments = await keepAttachments(this.store, id, files);
    const work = workOf({
      ...terms,
      ...place,
      session: id,
      agent,
      input,
      givenAt,
      ...(by && { by }),
      ...(attachments.length > 0 && { attachments }),
    });
    // A run that is at work finds words there at once, even if no place is free for their delivery.
    const isHeard = typeof input === "string" && work.answers === undefined && at === undefined && hasNoEnd(records);
    const { inputId = "" } = work;
    if (isHeard)
      await openSession({ store: this.store, id }).send({ id: inputId, text: input, attachments, ...(by && { by }) });
    try {
      const given = await this.#engine.give(work, { at, seen: records });
      const { waits = true, isWithdrawn = false } = given;
      if (isHeard && isWithdrawn) await this.store.drop(id, [inputId]);
      return {
        session: id,
        inputId: input === undefined ? undefined : work.inputId,
        waits,
        ended: () => given.ended(),
      };
    } catch (thrown) {
      // An input that is refused is not to be taken by another run, and leaves no trace. Words with an id of the caller may have been given
      // twice: the other delivery of the same words may be acknowledged, so they stay, and a caller that gives them again is heard once.
      if (isHeard && delivery.inputId === undefined) await this.store.drop(id, [inputId]).catch(() => undefined);
      if (thrown instanceof LastcallError && thrown.code === "configuration")
        await dropAttachments(this.store, id, attachments).catch(() => undefined);
      throw thrown;
    }
  }

  /** True if the agent of the session has a rule that says who may answer its calls that wait for an approval. */
  async hasApproverRule(id: string): Promise<boolean> {
    const { about, records } = await readStored(this.store, id);
    const agent = await this.#agentFor(id, this.#agentName(id, about, undefined), about);
    return agent !== undefined && hasApproverRule(agent, records);
  }

  /** The agent of a session, if this host can tell it. */
  async #agentFor(id: string, name: string, about: JsonObject | undefined): Promise<HostAgent | undefined> {
    const { agents, agentOf } = this.#engine;
    if (Object.hasOwn(agents, name)) return agents[name];
    return about === undefined ? undefined : agentOf?.({ id, about });
  }

  /** The name of the agent of a session. A session of another program has its own name, or no name, and the engine finds its agent. */
  #agentName(id: string, about: JsonObject | undefined, wanted: string | undefined): string {
    const { agents, agentOf } = this.#engine;
    const own = nameIn(about);
    const isForeign = about !== undefined && wanted === undefined && !Object.hasOwn(agents, own ?? "");
    if (isForeign && agentOf !== undefined) return own ?? "";
    return pickAgent(agents, id, { own, wanted }).name;
  }
}

/** Removes the bytes of attachments that neither a record of the session names, nor words that wait in its inbox. */
async function dropAttachments(store: Store, id: string, attachments: readonly Attachment[]): Promise<void> {
  if (attachments.length === 0) return;
  const waiting = (await store.messages(id)).flatMap((message) => readMessage(message).attachments ?? []);
  // The records are read last: words that a run takes meanwhile are in one of the two.
  const { records } = await readStored(store, id);
  const named = new Set([...waiting, ...attachmentsIn(records)].map(({ digest }) => digest));
  for (const { digest } of attachments) if (!named.has(digest)) await store.attachments?.(id).remove(digest);
}

/** The records of the session, and the time, when a delivery was given. */
interface Given {
  readonly records: readonly JournalRecord[];
  readonly givenAt: number;
}

/**
 * The call that an input answers, its id, and the number from which a session goes on.
 * @throws LastcallError `configuration` for a delivery that the session can't take.
 */
function placeOf(
  id: string,
  { input, answers, inputId, resumeFrom }: Delivery,
  { records, givenAt }: Given,
): Pick<Delivery, "answers" | "inputId" | "resumeFrom"> {
  if (input !== undefined) {
    if (answers === undefined && typeof input === "string") return { inputId: inputId ?? crypto.randomUUID() };
    return { answers: callFor(id, { input, answers }, { records, givenAt }), inputId };
  }
  if (answers !== undefined) throw wrong(`The answer to the call ${answers} has no input: give one.`);
  if (records.length === 0) throw wrong(`The session ${id} has no run yet: start one with an input.`);
  const due = waitingIn(records, givenAt);
  if (due !== undefined) throw wrong(`The session ${id} waits for an answer to the call ${due.id}: answer it.`);
  return { inputId: inputId ?? crypto.randomUUID(), resumeFrom: resumeFrom ?? records.length };
}

/** The call that an answer is for. The caller learns at once of an answer that nothing waits for. */
function callFor(
  id: string,
  { input, answers }: { readonly input: Input; readonly answers: string | undefined },
  { records, givenAt }: Given,
): string {
  const due = waitingIn(records, givenAt);
  const callId = answers ?? due?.id;
  if (callId === undefined) throw wrong(`No call of the session ${id} waits, so an object can't be its input.`);
  if (due?.id === callId) {
    expectShown(due, input);
    return callId;
  }
  // A run at work may be about to ask, and an answer that comes twice has the end of the run that took the first.
  if (runState(records) === "open" || records.some((record) => takes(record, { answers: callId }))) return callId;
  const problem = hasCall(records, callId) ? `The call ${callId} does not wait any more` : `There is no call ${callId}`;
  throw wrong(`${problem} in the session ${id}, so there is nothing to answer.`);
}

/** An approval is about the call that was shown. */
function expectShown(due: NonNullable<ReturnType<typeof waitingIn>>, input: Input): void {
  const digest = typeof input === "object" ? input["digest"] : undefined;
  const shown = due.approval?.digest ?? ("approves" in due ? due.approves : undefined);
  if (shown !== undefined && typeof digest === "string" && shown !== digest)
    throw wrong(`The call ${due.id} has the digest ${shown}, and the approval one of ${digest}: look at the call.`);
}

/** The fault of a delivery to a host that closes. */
export function closing(): LastcallError {
  return wrong("The host closes, and takes no inputs any more.");
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
