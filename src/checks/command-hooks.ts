// Commands of a person around what a run does: before and after calls, at claims, questions, limits and ends.

import {
  failure,
  LastcallError,
  type AnyOutcome,
  type Event,
  type Execution,
  type Failure,
  type FrozenCall,
  type Hook,
} from "../core/index.js";
import {
  checkOptions,
  expectKind,
  explain,
  headOf,
  isPlainObject,
  milliseconds,
  toJson,
  type OptionKinds,
} from "../core/internal.js";
import type { Shell } from "../shell/index.js";
import { runLine } from "./run-line.js";

/**
 * The moment at which a command runs.
 *
 * - `before-call`: before a call runs, and before permission is asked for it. The command may refuse the call, or change its input.
 * - `after-call`: after a call. The model reads what the command has to say.
 * - `claim`: before a claim is checked. The command may refuse it.
 * - `question`: the run ends because it waits for an answer or an approval.
 * - `limit`: most of a limit is used up, or the run is being closed.
 * - `end`: the run has ended otherwise.
 */
export type HookMoment = "before-call" | "after-call" | "claim" | "question" | "limit" | "end";

/** A command and its moment. */
export interface CommandHook {
  readonly on: HookMoment;
  /** The names of the tools, for moments of calls and claims. Default: all tools. */
  readonly tools?: readonly string[] | undefined;
  /**
   * The command line for `sh -c`. Its standard input is one line of JSON: `moment`, and `call`, `result`, `question`, `limit` or `outcome`.
   * Exit code 0 goes on. Any other exit code refuses the call or the claim, and the model reads the output as the reason. After a call it
   * reads the output as a remark. At other moments the person is told. With exit code 0 the last line of the output may be an object of
   * JSON: `input` is the call's new input, and `remark` is for the model.
   */
  readonly command: string;
  /** Milliseconds until the command and all its processes are ended. Default 30,000. */
  readonly timeout?: number | undefined;
}

/** Options of `commandHooks`. */
export interface CommandHooksOptions {
  /** The working directory. Default: this process's. */
  readonly cwd?: string | undefined;
  /** The shell that runs the commands: a sandbox, say. Default: the host's shell, without walls. */
  readonly shell?: Shell | undefined;
  /** Gets a line if a command fails at a moment at which there is nothing to refuse. Default: nobody is told. */
  readonly tell?: ((line: string) => void) | undefined;
}

const hooksOptions = { cwd: "text", shell: "object", tell: "function" } satisfies OptionKinds<CommandHooksOptions>;

const moments: readonly HookMoment[] = ["before-call", "after-call", "claim", "question", "limit", "end"];

/** The bytes of JSON that a command line has room for. */
const mostBytes = 100_000;

/** Characters of a result that a command gets, and of a reason that the model reads. */
const mostResult = 20_000;
const mostReason = 4000;

/**
 * A hook that runs a person's commands around calls, claims, questions, limits and ends. A command that can't be run, or takes too long,
 * refuses as any exit code but 0 does: a gate that is broken stays shut. Needs a POSIX system.
 * @throws LastcallError `configuration` for an unknown moment, an empty command or an invalid timeout.
 */
export function commandHooks(hooks: readonly CommandHook[], options: CommandHooksOptions = {}): Hook {
  expectKind("The hooks of commandHooks", hooks, "list");
  checkOptions("commandHooks", options, hooksOptions);
  const ready = hooks.map(prepare);
  const at = (moment: HookMoment, tool?: string): readonly Ready[] =>
    ready.filter(({ on, tools }) => on === moment && (tool === undefined || (tools?.includes(tool) ?? true)));
  const { tell = () => undefined } = options;
  const never = new AbortController().signal;

  const inform = async (moment: "question" | "limit" | "end", facts: object, signal: AbortSignal): Promise<void> => {
    for (const hook of at(moment)) {
      const { refusal } = await ask(hook, { moment, ...facts }, options, signal);
      if (refusal !== undefined) tell(`The hook \`${hook.command}\` (${moment}) failed: ${refusal}`);
    }
  };

  return {
    async *run(_start, next, signal) {
      const outcome = yield* watched(next(), async (event) => {
        if (event.type === "notice" && (event.about === "limit" || event.about === "closing"))
          await inform("limit", { limit: { reason: event.reason, text: event.text } }, signal);
      });
      const { session: _session, ...told } = outcome;
      // The run's own signal may have ended it.
      if (outcome.status === "waiting") await inform("question", { question: told }, never);
      else await inform("end", { outcome: told }, never);
    },
    async *call(given, next, signal) {
      let call = given;
      const remarks: string[] = [];
      for (const hook of at("before-call", call.name)) {
        const answer = await ask(hook, { moment: "before-call", call: callFacts(call) }, options, signal);
        if (answer.refusal !== undefined) return { ok: false, failure: refused(call.name, answer.refusal) };
        if (answer.input !== undefined) call = { ...call, input: answer.input };
        if (answer.remark !== undefined) remarks.push(answer.remark);
      }
      const execution = yield* next(call);
      for (const hook of at("after-call", call.name)) {
        const facts = { moment: "after-call", call: callFacts(call), result: resultFacts(execution) };
        const { refusal, remark } = await ask(hook, facts, options, signal);
        if (refusal !== undefined) remarks.push(`After this call, \`${hook.command}\` failed: ${refusal}`);
        if (remark !== undefined) remarks.push(remark);
      }
      if (remarks.length === 0 || !execution.ok) return execution;
      return { ...execution, remarks: [...(execution.remarks ?? []), ...remarks] };
    },
    async *claim(call, next, signal) {
      for (const hook of at("claim", call.name)) {
        const { refusal } = await ask(hook, { moment: "claim", call: callFacts(call) }, options, signal);
        if (refusal !== undefined) return { ok: false, failure: refusedClaim(call.name, refusal) };
      }
      return yield* next();
    },
  };
}

/** Yields the events after they were seen. Returns the outcome. */
async function* watched(
  events: AsyncGenerator<Event, AnyOutcome, void>,
  see: (event: Event) => Promise<void>,
): AsyncGenerator<Event, AnyOutcome, void> {
  let isAtYield = false;
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return value;
      await see(value);
      isAtYield = true;
      yield value;
      isAtYield = false;
    }
  } finally {
    if (isAtYield) await events.return(undefined as never);
  }
}

interface Ready extends CommandHook {
  readonly timeout: number;
}

function prepare({ on, tools, command, timeout = 30_000 }: CommandHook): Ready {
  if (!moments.includes(on)) throw wrong(`${explain(on)} is no moment of a hook: give ${moments.join(", ")}`);
  if (typeof command !== "string" || command.trim() === "" || command.includes("\0"))
    throw wrong('A hook needs a command, for example { on: "end", command: "./tell-me.sh" }');
  if (tools !== undefined && (on === "question" || on === "limit" || on === "end"))
    throw wrong(`A hook at ${on} is about no call: leave its tools out`);
  return { on, tools, command, timeout: milliseconds("timeout", timeout) };
}

/** The answer of a command. */
interface Answer {
  /** The reason of a no. */
  readonly refusal?: string;
  readonly input?: FrozenCall["input"];
  readonly remark?: string;
}

/** Runs the command with the facts as its input. */
async function ask(
  { command, timeout }: Ready,
  facts: object,
  { cwd = process.cwd(), shell }: CommandHooksOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const json = toJson(facts) ?? "{}";
  if (Buffer.byteLength(json) > mostBytes)
    return { refusal: `it is too large for a hook: ${String(Buffer.byteLength(json))} bytes` };
  // A shell gives a command no input, so it is a part of the line. The mark stands nowhere in the JSON, which is one line.
  const mark = `LASTCALL_${crypto.randomUUID().replaceAll("-", "")}`;
  const line = `{ ${command}\n} <<'${mark}'\n${json}\n${mark}\n`;
  try {
    const { code, how, text } = await runLine({ line, folder: cwd, env: {}, timeout, shell }, signal);
    if (code !== 0) return { refusal: headOf(text.trim() === "" ? how : text.trim(), mostReason) };
    return answerIn(text);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { refusal: explain(thrown) };
  }
}

/** The object of JSON in the last line, if it is one. */
function answerIn(text: string): Answer {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) return {};
  try {
    const { input, remark } = JSON.parse(last) as Record<string, unknown>;
    return {
      ...(isPlainObject(input) && { input: input }),
      ...(typeof remark === "string" && remark.trim() !== "" && { remark: headOf(remark, mostReason) }),
    };
  } catch {
    return {};
  }
}

function callFacts({ id, name, effect, input }: FrozenCall): object {
  return { id, name, effect, input };
}

function resultFacts(execution: Execution): object {
  if (!execution.ok) return { ok: false, message: execution.failure.message };
  const { value } = execution;
  const text = typeof value === "string" ? value : (toJson(value) ?? "");
  return { ok: true, text: headOf(text, mostResult) };
}

function refused(tool: string, reason: string): Failure {
  return failure("denied", {
    tool,
    message: `Not run, because a hook refused it: ${reason}`,
    advice: "Go another way.",
  });
}

function refusedClaim(tool: string, reason: string): Failure {
  return failure("claim_refused", {
    tool,
    message: `Not accepted, because a hook refused it: ${reason}`,
    advice: `Mend that first, and then call ${tool} again.`,
  });
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", `${message}.`);
}
