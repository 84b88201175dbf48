// Early start: a call that is whole, only reads, and is allowed without a question begins while the rest of the reply arrives.

import { isPlainObject, type JsonObject } from "../data/json.js";
import type { CallDelta } from "../ports/event.js";
import type { Tool } from "../ports/tool.js";
import type { Run } from "../run/run.js";
import { follow } from "../time/abort.js";
import { sourceOf } from "../time/stage.js";
import { decideUnasked } from "./ask-permission.js";
import { depthReader } from "./depth-reader.js";
import { resolve } from "./resolve.js";
import { runTool } from "./run-tool.js";

/** A call that the model is writing. */
interface Written {
  name: string;
  text: string;
  isWhole: boolean;
  readonly depth: (text: string) => boolean;
}

/** Reads the calls of one reply as they arrive, and begins the calls that may begin. */
export class EarlyStart {
  readonly #run: Run;
  readonly #idOf: (index: number) => string;
  readonly #written: Written[] = [];
  /** The beginnings so far, one after the other. */
  #begun: Promise<boolean> = Promise.resolve(true);
  /** True once a call came that is no read: none after it may begin. */
  #isClosed = false;
  #hasEnded = false;

  /** `idOf`: the id that the call at this place of the reply will have. */
  constructor(run: Run, idOf: (index: number) => string) {
    this.#run = run;
    this.#idOf = idOf;
  }

  /** Takes the next piece of a call. Only calls that no other call than a read comes before may begin. */
  write({ index, name, text }: CallDelta): void {
    if (this.#isClosed || this.#hasEnded || index > this.#written.length || index >= this.#run.parts.maxParallelReads)
      return;
    const tool = this.#run.parts.tools.find(name)?.tool;
    if (tool !== undefined && !mayBeEarly(tool)) {
      this.#isClosed = true;
      return;
    }
    this.#written[index] ??= { name, text: "", isWhole: false, depth: depthReader() };
    const call = this.#written[index];
    if (call.isWhole) return;
    call.name = name;
    call.text += text;
    if (!call.depth(text)) return;
    call.isWhole = true;
    const { text: whole } = call;
    // A call waits for the call before it: if the earlier call can't begin, it may change what this call reads.
    this.#begun = this.#begun.then(async (isOnlyReads) => isOnlyReads && (await this.#begin(index, name, whole)));
  }

  /** The reply broke off, or begins anew. */
  clear(): void {
    this.#written.length = 0;
    this.#isClosed = false;
    this.#begun = this.#begun.then(() => {
      this.#run.early.discard();
      return true;
    });
  }

  /** The reply has ended, so nothing begins early any more. If it is not whole, what has begun is stopped. */
  end(isWhole: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!isWhole) this.#run.early.discard();
  }

  /** True until the reply ends, which may happen at each wait. */
  #mayBegin(): boolean {
    return !this.#hasEnded;
  }

  async #begin(index: number, name: string, text: string): Promise<boolean> {
    const run = this.#run;
    try {
      // A reply that came in one piece has ended by then, and its calls begin in their turn.
      await run.parts.runtime.turn();
      if (!this.#mayBegin()) return false;
      // A number may have more digits than this keeps. The reading of the whole reply knows what to do.
      if (/\d[\d.]{15}/.test(text)) return false;
      const input: unknown = JSON.parse(text);
      if (!isPlainObject(input)) return false;
      const call = { type: "call", id: this.#idOf(index), name, input: input as JsonObject } as const;
      const ready = await resolve(run.parts.tools, call, run.state.principal);
      if (!("tool" in ready) || !mayBeEarly(ready.tool) || !this.#mayBegin()) return false;
      const decision = await decideUnasked(run, ready.frozen);
      if (decision?.allowed !== true || !this.#mayBegin()) return false;
      const stop = new AbortController();
      const unfollow = follow(stop, run.signal);
      const source = sourceOf(runTool(run.within(stop.signal), ready.tool, { call: ready.frozen, decision }));
      run.early.begin({ call, source, stop, unfollow });
      return true;
    } catch {
      // A call that can't be read or decided yet is read and decided when the reply has ended.
      return false;
    }
  }
}

/** True for a tool that only reads and asks nobody: a question is a record of its call. */
function mayBeEarly({ effect, ending, background, ...tool }: Tool): boolean {
  return effect === "read" && ending === "never" && background !== true && !("asks" in tool);
}
