// Replay: a finished session once more, with an agent that has changed. Would it have gone the same way?

import {
  replay as stateOf,
  type AnyOutcome,
  type Definition,
  type ReadableSession,
  type Session,
} from "../../core/index.js";
import {
  checkOptions,
  choiceOf,
  dueOf,
  isPlainObject,
  listOf,
  needed,
  portKinds,
  recipeOf,
  type Beginning,
  type OptionKinds,
} from "../../core/internal.js";
import { transcript } from "../../memory/index.js";
import { departuresIn } from "./departures.js";
import type { Departure } from "./difference-words.js";
import { factsOf, type Fact } from "./facts.js";
import { recordedModel } from "./recorded-model.js";
import {
  decidingHooks,
  recordedCheck,
  recordedFolds,
  recordedPermission,
  withoutConsulting,
} from "./recorded-rules.js";
import { RecordedTools } from "./recorded-tools.js";
import { effectOf, readRecording } from "./recording.js";
import { ReplayedSession } from "./replayed-session.js";
import { Replaying } from "./replaying.js";

/** The options of `replaySession`. */
export interface ReplayOptions {
  /** The agent of now, as `createAgent` made it. Its model is not asked. */
  readonly agent: object;
  /**
   * The calls that run: none (`recorded`), calls of tools with the effect `read` (`read`), or all, and checks too (`live`). Live calls
   * change what the tools of the agent can reach, so give it a copy. A call that a person had to allow, that asked a question or that ran
   * an agent has its recorded result in any case. Default `recorded`.
   */
  readonly tools?: "recorded" | "read" | "live" | undefined;
  /** The context of the runs, if a tool declares one. */
  readonly context?: unknown;
  /** The absolute paths of the folder that the agent works in, then and now. They are not compared. Default: every path is. */
  readonly folders?: readonly string[] | undefined;
}

/** The result of a replay. */
export interface Replayed {
  /** True if nothing differs: every request, decision, result, verdict and end is as it was. */
  readonly identical: boolean;
  /** The differences that have a cause of their own, the earliest first. */
  readonly departures: readonly Departure[];
  /** The end of the last run, in the recording and in the replay, in words. */
  readonly end: { readonly was: string; readonly is: string };
  /** The number of recorded replies that were not asked for. */
  readonly unsaid: number;
  /** Limits of what this replay can say, in words: another model, a check that was not run. */
  readonly remarks: readonly string[];
  /** The journal of the replay. Nothing is stored. */
  readonly session: Session;
}

const replayOptions = {
  agent: needed(portKinds.agent),
  tools: choiceOf("recorded", "read", "live"),
  context: "any",
  folders: listOf("text"),
} satisfies OptionKinds<ReplayOptions>;

/**
 * Runs the recorded runs of a session again, with the agent of now: its model says the recorded replies, and its tools return the recorded
 * results. Says where the first request, decision, result, verdict or end differs. No model and no person is asked, and nothing is
 * written to the session. Hooks around requests, calls and runs are left out.
 * @throws LastcallError `configuration` for a session that can't be replayed, such as one with work in the background, and for an agent
 * that `createAgent` did not make.
 */
export async function replaySession(session: Session | ReadableSession, options: ReplayOptions): Promise<Replayed> {
  checkOptions("replaySession", options, replayOptions);
  const plain = await plainOf(session);
  const recording = readRecording(plain);
  const replaying = new Replaying(recording, options.tools ?? "recorded");
  const memory = withoutConsulting(recipeOf(options.agent).options.memory ?? transcript);
  const agent = agentFor(options.agent, replaying);
  const replayed = new ReplayedSession(replaying);
  let clientTools: Definition["clientTools"];
  for (const beginning of recording.beginnings) {
    clientTools = beginning.definition === undefined ? clientTools : beginning.definition.clientTools;
    const context = { context: options.context, ...(clientTools !== undefined && { clientTools }) };
    await goOn({ agent, replaying, replayed, context }, beginning);
  }
  const from = { given: recording.given, memory, folders: options.folders ?? [] };
  const made = await replayed.toJSON();
  const [recorded, told] = await Promise.all([factsOf(plain, from), factsOf(made, from)]);
  const ends = withEnds(told, recorded, replaying);
  const departures = departuresIn({ recorded, replayed: ends, ran: new Set(replaying.ran) });
  const said = told.filter(({ kind }) => kind === "request").length;
  return {
    identical: departures.length === 0,
    departures,
    end: { was: endIn(recorded), is: endIn(ends) },
    unsaid: recorded.filter(({ kind }) => kind === "request").length - said,
    remarks: [...modelRemark(recording.beginnings, recipeOf(options.agent).options.model.name), ...replaying.remarks],
    session: made,
  };
}

/** The session as plain data. What is no session is refused by its reader. */
export async function plainOf(session: Session | ReadableSession): Promise<Session> {
  return typeof session === "object" && "toJSON" in session ? session.toJSON() : session;
}

/** The agent with the model, the tools and the rules of the recording. */
function agentFor(agent: object, replaying: Replaying): ReturnType<ReturnType<typeof recipeOf>["make"]> {
  const { options, make } = recipeOf(agent);
  const { tools: own, toolSources, checks = [], hooks = [], permission, memory = transcript } = options;
  const tools = new RecordedTools(replaying, (next) => agentFor(next, replaying));
  const around = hooks.filter((hook) => replaying.tools === "live" && hook.call !== undefined);
  return make({
    ...options,
    model: recordedModel(options.model, replaying),
    tools: own.map((tool) => tools.of(tool)),
    ...(toolSources !== undefined && { toolSources: toolSources.map((source) => tools.source(source)) }),
    permission: recordedPermission(permission, replaying),
    checks: checks.map((check) => recordedCheck(check, replaying)),
    hooks: [
      ...decidingHooks(hooks),
      ...around.map((hook) => ({ call: hook.call?.bind(hook) }) as (typeof hooks)[number]),
      recordedFolds(replaying),
      tools.hook,
    ],
    memory: withoutConsulting(memory),
    // Nobody answers here, so nothing is signed.
    ...(options.approvals !== undefined && { approvals: { ...options.approvals, sign: undefined } }),
    runtime: replaying.runtime(options.runtime),
    earlyStart: false,
  });
}

/** The parts of a replay that its runs share. */
interface Work {
  readonly agent: ReturnType<typeof agentFor>;
  readonly replaying: Replaying;
  readonly replayed: ReplayedSession;
  readonly context: object;
}

/** Begins a run as the recorded one began, or goes on with it. */
async function goOn({ agent, replaying, replayed, context }: Work, beginning: Beginning): Promise<void> {
  const { clock, recording } = replaying;
  clock.begin(beginning.at);
  replaying.stop = new AbortController();
  const state = stateOf(replayed.records);
  const who = beginning.by !== undefined && { by: beginning.by };
  const options = { ...context, ...who, signal: replaying.stop.signal } as { readonly signal: AbortSignal };
  if (beginning.type === "resume") {
    // A replay dies nowhere, so a run that was resumed has gone on already, unless its recording ended there.
    if (state.run > 0 && state.ended !== "completed" && state.ended !== "waiting")
      tellFault(replaying, await agent.resume(replayed, options));
    return;
  }
  const asked = "answers" in beginning ? beginning.answers : undefined;
  const answers = [...waitingIn(state)].find(
    (id) => asked !== undefined && effectOf(id, replayed.id) === effectOf(asked, recording.session.id),
  );
  if (beginning.type !== "input") {
    // Nothing waits any more if the agent of now did not ask.
    if (answers === undefined) return;
    const due = dueOf(state, answers);
    const given = givenBy(beginning, due?.type === "parked" ? due.digest : due?.approves);
    tellFault(replaying, await agent.run(given as string, { ...options, session: replayed, answers }));
    return;
  }
  const { text, attachments = [], notes = [] } = beginning;
  if (text === "" && attachments.length === 0) {
    if (state.run > 0) tellFault(replaying, await agent.resume(replayed, options));
    return;
  }
  const notesFrom = notes.length > 0 ? notebook(notes) : undefined;
  tellFault(replaying, await agent.run(text, { ...options, session: replayed, attachments, answers, notesFrom }));
}

/** The input that a recorded approval or answer was. `digest` is the digest of the call that a yes or no is about. */
function givenBy(
  beginning: Extract<Beginning, { readonly type: "approval" | "answer" }>,
  digest: string | undefined,
): unknown {
  if (beginning.type === "answer") {
    const { value } = beginning;
    return digest !== undefined && isPlainObject(value) ? { ...value, digest } : value;
  }
  const { allowed, reason, always, text } = beginning;
  return text ?? { allowed, reason, ...(always === true && { always }), digest };
}

/** Tells a fault that the recorded run did not have. */
function tellFault(replaying: Replaying, outcome: AnyOutcome): void {
  if (outcome.status !== "failed") return;
  const { reason } = replaying.recording.end(replaying.place.run) ?? {};
  if (outcome.fault.code !== reason) replaying.remark(`The replay failed: ${outcome.fault.message}`);
}

/** The ids that an input can answer now. */
function* waitingIn(state: ReturnType<typeof stateOf>): Generator<string, void, void> {
  if (state.claim?.ending === "waiting") yield state.claim.callId;
  for (const { callId, questions = [] } of state.unanswered) {
    yield callId;
    for (const { question } of questions) yield question.id;
  }
}

/** A session that has these notes and nothing else. */
function notebook(notes: readonly object[]): Session {
  return {
    version: 1,
    id: "notes",
    records: [{ type: "input", run: 1, text: "notes", notes, seq: 0, at: 0 } as unknown as Session["records"][number]],
  };
}

/**
 * The facts with ends that tell what they mean. A run that went past the recording would have gone on; a run whose recording has no end has
 * none here.
 */
function withEnds(facts: readonly Fact[], recorded: readonly Fact[], { past, open }: Replaying): readonly Fact[] {
  const last = recorded.findLast(({ kind }) => kind === "end")?.id;
  const isOpen = ({ kind, at }: Fact): boolean => kind === "end" && open.some((run) => at === `${String(run)}/end`);
  return facts
    .filter((fact) => !isOpen(fact))
    .map((fact) =>
      past !== undefined && fact.id === last
        ? { ...fact, fields: { end: `goes on with ${past}, which the recording does not have` } }
        : fact,
    );
}

function endIn(facts: readonly Fact[]): string {
  return facts.findLast(({ kind }) => kind === "end")?.fields["end"] ?? "no end";
}

function modelRemark(beginnings: readonly Beginning[], model: string): readonly string[] {
  const was = beginnings.findLast(({ definition }) => definition !== undefined)?.definition?.model;
  return was === undefined || was === model ? [] : [`The model was ${was} and is ${model}: a replay asks neither.`];
}
