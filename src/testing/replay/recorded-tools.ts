// The tools of a replay: each call gets its recorded result, or runs if the replay says so.

import { failure, LastcallError, type Execution, type Hook, type Tool, type ToolSource } from "../../core/index.js";
import { effectOf, type RecordedCall } from "./recording.js";
import type { Replaying } from "./replaying.js";

/** The failures of a call that ran. Every other failure was found before. */
const afterRun: ReadonlySet<string> = new Set(["tool_error", "tool_timeout", "interrupted"]);

/** The tools, and the hook that puts the recorded ends of calls in the place of what they returned. */
export class RecordedTools {
  readonly #replaying: Replaying;
  /** Makes the agent that a call hands over to, for the same replay. */
  readonly #replayed: (agent: object) => object;
  readonly #ends = new Map<string, Execution>();
  readonly #made = new WeakMap<Tool, Tool>();
  /** The innermost hook. It comes after permission and the tool, so both are as in any run. */
  readonly hook: Hook;

  constructor(replaying: Replaying, replayed: (agent: object) => object) {
    this.#replaying = replaying;
    this.#replayed = replayed;
    const ends = this.#ends;
    this.hook = {
      async *call(call, next) {
        const execution = yield* next(call);
        const end = ends.get(call.id);
        ends.delete(call.id);
        return end ?? execution;
      },
    };
  }

  /** The tool with recorded calls. The same tool is made once. */
  of(tool: Tool): Tool {
    const made = this.#made.get(tool) ?? this.#make(tool);
    this.#made.set(tool, made);
    return made;
  }

  /** The source with recorded calls. */
  source(source: ToolSource): ToolSource {
    const of = (tool: Tool): Tool => this.of(tool);
    return {
      get tools() {
        return source.tools.map(of);
      },
    };
  }

  #make(tool: Tool): Tool {
    const agents = Object.entries(tool.handsOver?.agents ?? {});
    return {
      ...tool,
      ...(tool.handsOver !== undefined && {
        handsOver: {
          ...tool.handsOver,
          agents: Object.fromEntries(agents.map(([name, agent]) => [name, this.#replayed(agent)])),
        },
      }),
      run: (input, context) => {
        const { recording, ran } = this.#replaying;
        const key = effectOf(context.callId, recording.session.id);
        const call = recording.call(key);
        if (tool.handsOver !== undefined) return tool.run(input, context);
        if (this.#runs(tool, call)) {
          ran.push(key);
          return tool.run(input, { ...context, child: noAgent });
        }
        return this.#answer(tool, context, call);
      },
    };
  }

  /** True if a call of the tool runs for real. */
  #runs({ effect }: Tool, call: RecordedCall | undefined): boolean {
    const { tools } = this.#replaying;
    if (tools === "recorded" || (tools === "read" && effect !== "read")) return false;
    if (call === undefined) return true;
    const { hasChild, questions, decisions } = call;
    const isPersons = decisions.some((record) => record.type === "parked" || record.basis === "approver");
    return !hasChild && questions.length === 0 && !isPersons;
  }

  /** Asks the recorded questions, then ends as the call ended. */
  async #answer(tool: Tool, context: Parameters<Tool["run"]>[1], call: RecordedCall | undefined): Promise<unknown> {
    const { clock } = this.#replaying;
    for (const { value } of call?.questions ?? []) await context.ask(value as never);
    const { claim, result } = call ?? {};
    if (claim !== undefined) {
      clock.reach(claim.at);
      // A value that is no JSON is made from the input again.
      return claim.source === undefined ? claim.value : undefined;
    }
    if (result !== undefined) clock.reach(result.at);
    const end = result === undefined ? undefined : endOf(result.result);
    if (end !== undefined) this.#ends.set(context.callId, end);
    else if (tool.ending === "never") this.#ends.set(context.callId, unknownEnd(tool.name));
    return undefined;
  }
}

/** The end of a recorded call; undefined if the call did not run. */
function endOf({
  ok,
  text,
  notes,
  attachments,
  failure: why,
}: NonNullable<RecordedCall["result"]>["result"]): Execution | undefined {
  if (ok)
    return {
      ok: true,
      value: text,
      ...(notes !== undefined && { notes }),
      ...(attachments !== undefined && { attachments }),
    };
  if (why === undefined || !afterRun.has(why.kind)) return undefined;
  const { hint: _hint, ...bare } = why;
  return { ok: false, failure: bare };
}

function unknownEnd(tool: string): Execution {
  const message = "The recording has no result of this call: it did not run then.";
  return { ok: false, failure: failure("tool_error", { tool, message, advice: "Go another way." }) };
}

function noAgent(): Promise<never> {
  const message = "A replay runs no agent of a call: it would ask a model.";
  return Promise.reject(new LastcallError("configuration", message));
}
