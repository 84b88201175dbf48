// A conversation without a terminal: each line of the input is a turn, and the reply is streamed to the output.

import { createInterface } from "node:readline";
import type { Event, ParkedCall } from "../../core/index.js";
import type { Store, StoredSessionHandle } from "../../memory/index.js";
import type { AgentNeeds } from "../task/make-agent.js";
import { answerCommands, approvalOf, nextWords, parkedWords, questionOf, saidIn } from "../person/parked.js";
import { formOf } from "../person/ask-reply.js";
import { signedWords } from "../person/signed-words.js";
import { choose, suggestionsOf } from "../person/choose.js";
import { finishing } from "../person/finish-iteration.js";
import type { Surroundings } from "../person/surface.js";
import { exitCode } from "../show/ending.js";
import { restLines, type Speech } from "../display/said.js";
import { visible, visibleWords } from "../display/visible.js";
import { watch, type Watching } from "../show/watch.js";
import { makeChatAgent } from "./agent-in-use.js";
import { askedIn, parkedIn, queuedIn } from "./leftovers.js";
import { principalIn } from "../person/principal-in.js";

/** The needs of the conversation. */
export interface ChatByLines extends AgentNeeds, Watching {
  readonly store: Pick<Store, "messages">;
  readonly session: StoredSessionHandle;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly atInterrupt: Surroundings["atInterrupt"];
}

/** Holds the conversation until the input ends. Returns the exit code of the last turn; 0 if it waits for words, 130 if interrupted. */
export async function chatByLines(options: ChatByLines): Promise<number> {
  const { session, input, output, say, signal, atInterrupt, style, log } = options;
  const { onEvent, hooks, ending } = watch(options);
  const { agent, context, notices, speech, remarks } = await makeChatAgent(options, hooks);
  if (log !== "quiet") for (const line of notices) say(style.dim(line));
  const printer = new ReplyPrinter(output, { say, speech });
  const tellOf = async (parked: ParkedCall): Promise<void> => {
    say(await parkedWords(parked, style));
    say(`${nextWords(parked)}\n${answerCommands(parked, session.id)}`);
  };
  const kept = await session.toJSON();
  let asked = askedIn(kept);
  const parked = parkedIn(kept);
  if (parked !== undefined) await tellOf(parked);
  const queued = await queuedIn(kept, options);
  if (queued.length > 0) say("Words that no turn has read go with your next words:");
  for (const { text } of queued) say(`  ↳ ${visibleWords(text, { multiline: true }).replaceAll("\n", "\n    ")}`);
  const by = principalIn(options.settings);
  let code = 0;
  let isStopped = false;
  // The signal closes the input, also if it has aborted before.
  for await (const line of createInterface({ input, crlfDelay: Infinity, signal })) {
    if (line.trim() === "") continue;
    const watching = (event: Event): void => {
      printer.take(event);
      onEvent(event);
    };
    const words = await signedWords(line.trim(), { asked, signIn: options.servers?.signIn, by, say });
    if (words === undefined) continue;
    const run = finishing({ signal, onEvent: watching, by });
    atInterrupt(run.finish);
    const outcome = await agent
      .run(choose(asked, words), { session, context, signal: run.signal, onEvent: run.onEvent, by })
      .finally(() => {
        atInterrupt(undefined);
        run.end();
      });
    isStopped = run.isWanted() || signal.aborted;
    // Another process has run the turn that took the words, so no event told its answer.
    const said = outcome.joined === true ? saidIn(outcome) : undefined;
    if (said !== undefined) printer.accept(said.by, said.value);
    const left = outcome.status === "waiting" ? approvalOf(outcome) : undefined;
    asked = outcome.status === "waiting" ? questionOf(outcome)?.value : undefined;
    if (left !== undefined) await tellOf(left);
    for (const [index, suggestion] of suggestionsOf(asked).entries())
      output.write(`${String(index + 1)}. ${visibleWords(suggestion)}\n`);
    formOf(outcome).forEach(say);
    if (outcome.status === "failed") say(visible(outcome.fault.message, { multiline: true }));
    code = outcome.status === "waiting" ? 0 : exitCode(outcome, options.settings);
    if (code !== 0) ending().forEach(say);
    if (isStopped) break;
  }
  remarks().forEach(say);
  const isKept = (await session.toJSON()).records.length > 0;
  if (log !== "quiet" && isKept) say(style.dim(`To go on: lastcall chat ${session.id}`));
  return isStopped || signal.aborted ? 130 : code;
}

/** Prints the streamed text of the model. */
class ReplyPrinter {
  readonly #output: ChatByLines["output"];
  readonly #say: (line: string) => void;
  readonly #speech: Speech;
  #shown = "";
  /** True while the last line has no line end. */
  #isLineOpen = false;

  constructor(output: ChatByLines["output"], { say, speech }: Pick<ChatByLines, "say"> & { readonly speech: Speech }) {
    this.#output = output;
    this.#say = say;
    this.#speech = speech;
  }

  take(event: Event): void {
    if (event.type === "text-delta") {
      this.#shown += event.text;
      this.#write(event.text);
    } else if (event.type === "reply-end") {
      // Standard error is often the same screen: notes about the reply begin on a new line.
      this.#endLine();
    } else if (event.type === "reply-retracted" || event.type === "claim-retracted") {
      const wasShown = this.#shown !== "";
      this.#end();
      if (wasShown) this.#say("What was just said is taken back.");
    } else if (event.type === "claim-accepted") {
      this.accept(event.tool, event.value);
    } else if (event.type === "iteration-end") this.#end();
  }

  /** Prints the value of a claim, as far as it was not streamed. */
  accept(by: string, value: unknown): void {
    const said = this.#speech(by, value);
    const fields = restLines(said);
    const head = said.words !== "" ? said.words : fields.length === 0 ? said.text : said.by;
    // Usually the words were streamed already. Else they are printed whole.
    if (head !== this.#shown) this.#write(head);
    this.#endLine();
    for (const field of fields) this.#write(`  ${field}\n`);
    this.#end();
  }

  #write(text: string): void {
    if (text === "") return;
    this.#output.write(this.#output.isTTY ? visibleWords(text, { multiline: true }) : text);
    this.#isLineOpen = !text.endsWith("\n");
  }

  #endLine(): void {
    if (this.#isLineOpen) this.#output.write("\n");
    this.#isLineOpen = false;
  }

  #end(): void {
    this.#endLine();
    this.#shown = "";
  }
}
