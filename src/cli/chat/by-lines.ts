// A conversation without a terminal: each line of the input is a turn, and words go out as they come.

import { createInterface } from "node:readline";
import type { Event } from "../../core/index.js";
import type { StoredSessionHandle } from "../../memory/index.js";
import type { AgentNeeds } from "../task/make-agent.js";
import { choose, suggestionsOf } from "../person/choose.js";
import { exitCode } from "../show/ending.js";
import { saidIn } from "../words/said.js";
import { visible, visibleWords } from "../words/visible.js";
import { watch, type Watching } from "../show/watch.js";
import { makeChatAgent } from "./agent-in-use.js";
import { askedIn } from "./leftovers.js";

/** What it needs. */
export interface ChatByLines extends AgentNeeds, Watching {
  readonly session: StoredSessionHandle;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/** Holds it until the input ends. Returns the exit code: that of the last turn, where it did not go well. */
export async function chatByLines(options: ChatByLines): Promise<number> {
  const { session, input, output, say, signal, style, log } = options;
  const { onEvent, hooks, ending } = watch(options);
  const { agent, place, remarks } = await makeChatAgent(options, hooks);
  if (log !== "quiet") say(style.dim(place));
  const words = new Words(output, say);
  let asked = askedIn(await session.toJSON());
  let code = 0;
  const lines = createInterface({ input, crlfDelay: Infinity });
  const stop = (): void => {
    lines.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const watching = (event: Event): void => {
      words.take(event);
      onEvent(event);
    };
    const outcome = await agent.run(choose(asked, line.trim()), { session, signal, onEvent: watching });
    asked = outcome.status === "waiting" ? outcome.value : undefined;
    for (const [index, suggestion] of suggestionsOf(asked).entries())
      output.write(`${String(index + 1)}. ${visibleWords(suggestion)}\n`);
    if (outcome.status === "failed") say(visible(outcome.fault.message, { multiline: true }));
    code = outcome.status === "waiting" ? 0 : exitCode(outcome);
    if (code !== 0) ending().forEach(say);
    if (signal.aborted) break;
  }
  signal.removeEventListener("abort", stop);
  remarks().forEach(say);
  const isKept = (await session.toJSON()).records.length > 0;
  if (log !== "quiet" && isKept) say(style.dim(`To go on: lastcall chat ${session.id}`));
  return signal.aborted ? 130 : code;
}

/** The words of the model, as they come. */
class Words {
  readonly #output: ChatByLines["output"];
  readonly #say: (line: string) => void;
  #shown = "";
  /** True where a line was begun and not ended. */
  #isOpen = false;

  constructor(output: ChatByLines["output"], say: (line: string) => void) {
    this.#output = output;
    this.#say = say;
  }

  take(event: Event): void {
    if (event.type === "text-delta") {
      this.#shown += event.text;
      this.#write(event.text);
    } else if (event.type === "reply-end") {
      // What is said of it on standard error, often the same screen, begins a line.
      this.#endLine();
    } else if (event.type === "reply-retracted" || event.type === "claim-retracted") {
      const isTaken = this.#shown !== "";
      this.#end();
      if (isTaken) this.#say("What was just said is taken back.");
    } else if (event.type === "claim-accepted") {
      const text = saidIn(event.value);
      // What was shown is all of it, as a rule, and its line is ended; anything else is said whole.
      if (text !== this.#shown) this.#write(text);
      this.#end();
    } else if (event.type === "iteration-end") this.#end();
  }

  #write(text: string): void {
    if (text === "") return;
    this.#output.write(this.#output.isTTY ? visibleWords(text, { multiline: true }) : text);
    this.#isOpen = !text.endsWith("\n");
  }

  #endLine(): void {
    if (this.#isOpen) this.#output.write("\n");
    this.#isOpen = false;
  }

  #end(): void {
    this.#endLine();
    this.#shown = "";
  }
}
