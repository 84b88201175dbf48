// The conversation: one kept session, turn after turn, at a terminal.

import { fold, type Event, type Model, type Session } from "../../core/index.js";
import { forkSession, openSession, type Store, type StoredSessionHandle } from "../../memory/index.js";
import type { Tier } from "../../permission/index.js";
import { askQuestion, converse, taskCompletion } from "../../tools/index.js";
import { makeAgent, type AgentNeeds, type MadeAgent } from "../agent.js";
import { approverAt } from "../approver.js";
import { choose, suggestionsOf } from "../choose.js";
import { doubts } from "../ending.js";
import { saidIn } from "../said.js";
import { newId } from "../sessions.js";
import { visible } from "../visible.js";
import { watch, type Watching } from "../watch.js";
import { isCommand, obey, type Control } from "./commands.js";
import { markdownLines, type Look } from "./markdown.js";
import { counted, silence, talkAfter } from "./talk.js";
import { contextLines, greeting, spokenBefore, toolLines, youSaid } from "./telling.js";
import { ChatTerminal, type ChatTerminalOptions } from "./terminal.js";

/** What a conversation needs. */
export interface Chat extends Omit<AgentNeeds, "approver">, Pick<Watching, "log" | "events"> {
  readonly store: Store;
  readonly session: StoredSessionHandle;
  /** Makes another model of the same server. @throws LastcallError `configuration` where it can't be. */
  readonly modelNamed: (name: string) => Model;
  readonly terminal: Pick<ChatTerminalOptions, "input" | "output">;
  readonly look: Look;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

const endings = [converse(), askQuestion(), taskCompletion()] as const;
type Made = MadeAgent<typeof endings>;
type Ended = Awaited<ReturnType<Made["agent"]["run"]>>;

/** Holds the conversation until the person leaves. Returns the exit code. */
export async function chat(options: Chat): Promise<number> {
  const conversation = new Conversation(options);
  return await conversation.hold();
}

class Conversation implements Control {
  #options: Chat;
  readonly #terminal: ChatTerminal;
  readonly #watched: ReturnType<typeof watch>;
  #session: StoredSessionHandle;
  #made: Made | undefined;
  /** Aborts the turn that goes on. */
  #turn: AbortController | undefined;
  /** What the session waits for an answer to; undefined where it waits for none. */
  #asked: unknown;
  /** True where what the turn comes to is known, and only its end is awaited. */
  #isEnding = false;
  /** True where an empty line goes on: the last turn came to no end. */
  #isOpen = false;
  #compacts = false;
  #leave: () => void = () => undefined;
  readonly #left: Promise<void>;
  /** The turns and commands, one after the other. */
  #work: Promise<void> = Promise.resolve();
  /** What was said to the run that goes on, on its way. */
  #sending: Promise<void> = Promise.resolve();

  constructor(options: Chat) {
    this.#options = options;
    this.#session = options.session;
    const { model, window, look, log, events } = options;
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.#terminal = new ChatTerminal(
      {
        ...options.terminal,
        look,
        onSent: (text) => {
          this.#sent(text);
        },
        onInterrupt: (isSecond) => {
          this.#interrupt(isSecond);
        },
        onEnd: () => {
          this.#leave();
        },
      },
      { model: model.name, window },
      [],
    );
    const say = (line: string): void => {
      this.say(line.split("\n"));
    };
    this.#watched = watch({ log, style: look, say, events, folds: true });
  }

  async hold(): Promise<number> {
    const { signal } = this.#options;
    const leave = (): void => {
      this.#leave();
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    try {
      await this.#begin();
      await this.#left;
    } finally {
      this.#turn?.abort(new DOMException("The conversation was left.", "AbortError"));
      this.#terminal.close();
      await this.#work;
      signal.removeEventListener("abort", leave);
    }
    this.say([`To go on: lastcall chat ${this.#session.id}`]);
    return signal.aborted ? 130 : 0;
  }

  async #begin(): Promise<void> {
    const { workdir, model, look } = this.#options;
    const session = await this.#session.toJSON();
    const made = await this.#make();
    this.say(greeting({ id: this.#session.id, model: model.name, workdir, remarks: [made.place] }, look));
    const columns = this.#options.terminal.output.columns ?? 80;
    this.say(spokenBefore(session.records, { look, columns }));
    const replies = session.records.flatMap((record) => (record.type === "reply" ? [record.reply.usage] : []));
    this.#terminal.show({ talk: replies.reduce(counted, silence) });
    this.#terminal.open();
    this.#pose(awaitedIn(session));
    if (isUnfinished(session)) {
      this.say([look.dim("The last turn was broken off; it goes on.")]);
      this.#do(() => this.#take(undefined));
    }
  }

  /** Words from the person: a command, something for the run that goes on, or the next turn. */
  #sent(text: string): void {
    const words = text.trim();
    const { look } = this.#options;
    const isBusy = this.#turn !== undefined && !this.#isEnding;
    if (isCommand(words)) {
      this.say([look.dim(`> ${words}`)]);
      if (isBusy) void this.#guarded(() => obey(words, this, true));
      else this.#do(() => obey(words, this, false));
    } else if (words === "") {
      if (this.#isOpen && this.#turn === undefined) this.#do(() => this.#take(undefined));
    } else if (isBusy) {
      this.#terminal.show({ waiting: [...this.#terminal.view.waiting, words] });
      const send = this.#guarded(() => this.#session.send({ text: words }));
      this.#sending = Promise.all([this.#sending, send]).then(() => undefined);
    } else this.#do(() => this.#take(words));
  }

  #interrupt(isSecond: boolean): void {
    const isBusy = this.#turn !== undefined;
    if (isSecond) this.#leave();
    else if (isBusy) this.#turn?.abort(new DOMException("Interrupted.", "AbortError"));
    this.#terminal.show({ hint: isBusy ? "stopping; Ctrl-C once more leaves" : "Ctrl-C once more leaves" });
  }

  /** One after the other: nothing of a turn is lost because the next one was begun. */
  #do(work: () => Promise<unknown>): void {
    this.#work = this.#work.then(() => this.#guarded(work));
  }

  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.say([this.#options.look.bad(visible(thrown instanceof Error ? thrown.message : String(thrown)))]);
    }
  }

  /** A turn: the words, or none to go on with what was left; and then what was said meanwhile and came too late for it. */
  async #take(words: string | undefined): Promise<void> {
    const { look } = this.#options;
    const input = words === undefined ? undefined : choose(this.#asked, words);
    if (input !== undefined) this.say(["", ...youSaid(input, look)]);
    this.#terminal.show({ choices: [], chosen: -1, since: Date.now(), hint: "" });
    const turn = new AbortController();
    this.#turn = turn;
    this.#isEnding = false;
    this.#isOpen = false;
    try {
      const { agent } = await this.#make();
      const given = { onEvent: this.#onEvent, signal: turn.signal, compact: this.#compacts };
      this.#compacts = false;
      const outcome =
        input === undefined
          ? await agent.resume(this.#session, given)
          : await agent.run(input, { ...given, session: this.#session });
      this.#told(outcome);
    } finally {
      this.#turn = undefined;
      this.#terminal.show({ since: undefined, waiting: [], hint: "" });
    }
    await this.#sending;
    const late = await takeBack(this.#session);
    if (late.length > 0) await this.#take(late.join("\n"));
  }

  readonly #onEvent = (event: Event): void => {
    const { look } = this.#options;
    if (event.type === "claim-accepted") {
      this.#isEnding = true;
      this.say(["", ...this.#marked(saidIn(event.value))]);
    }
    this.#watched.onEvent(event);
    const { talk, waiting } = this.#terminal.view;
    if (event.type === "claim-retracted" && talk.words !== "")
      this.say([look.dim("What was just said is taken back.")]);
    const taken = event.type === "steer" ? waiting.indexOf(event.text) : -1;
    this.#terminal.show({
      talk: talkAfter(talk, event),
      ...(taken >= 0 && { waiting: waiting.filter((_text, index) => index !== taken) }),
    });
  };

  /** What there is to say about how a turn ended, besides the words that were accepted. */
  #told(outcome: Ended): void {
    const { look } = this.#options;
    if (outcome.status === "completed") this.say(doubts(outcome.receipts).map((doubt) => look.dim(visible(doubt))));
    if (outcome.status === "failed") this.say(visible(outcome.fault.message, { multiline: true }).split("\n"));
    this.#pose(outcome.status === "waiting" ? outcome.value : undefined);
    this.#isOpen = outcome.status !== "waiting" && outcome.status !== "completed";
    if (this.#isOpen) this.say([...this.#watched.ending(), look.dim("Say what to do now, or press Enter to go on.")]);
    this.say(this.#made?.remarks() ?? []);
  }

  /** What an answer is awaited to, with what can be chosen. */
  #pose(asked: unknown): void {
    this.#asked = asked;
    this.#terminal.show({ choices: suggestionsOf(asked), chosen: -1 });
  }

  #marked(text: string): readonly string[] {
    const columns = this.#options.terminal.output.columns ?? 80;
    return markdownLines(text, { columns: Math.max(1, columns - 1), look: this.#options.look });
  }

  async #make(): Promise<Made> {
    const { look } = this.#options;
    const surface = {
      style: look,
      say: (text: string) => {
        this.say(text.split("\n"));
      },
    };
    const needs = { ...this.#options, approver: approverAt(this.#terminal, surface) };
    this.#made ??= await makeAgent(needs, { endings, onText: "converse", hooks: this.#watched.hooks });
    return this.#made;
  }

  say(lines: readonly string[]): void {
    this.#terminal.say(lines);
  }

  model(): string {
    return this.#options.model.name;
  }

  async useModel(name: string): Promise<void> {
    await this.#remake({ model: this.#options.modelNamed(name) });
    this.#terminal.show({ model: name });
  }

  tier(): Tier {
    return this.#options.rights.tier;
  }

  async useTier(tier: Tier): Promise<void> {
    await this.#remake({ rights: { ...this.#options.rights, tier } });
  }

  async #remake(change: Partial<Chat>): Promise<void> {
    const before = [this.#options, this.#made] as const;
    this.#options = { ...this.#options, ...change };
    this.#made = undefined;
    try {
      await this.#make();
    } catch (thrown) {
      [this.#options, this.#made] = before;
      throw thrown;
    }
  }

  tools(): readonly string[] {
    return toolLines(this.#made?.tools ?? []);
  }

  async check(): Promise<void> {
    const checks = this.#made?.checks ?? [];
    const { look } = this.#options;
    if (checks.length === 0) this.say(['There are no checks: begin with --until "npm test", for example.']);
    const { records } = await this.#session.toJSON();
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    try {
      for (const check of checks) {
        this.#terminal.show({ since: Date.now(), talk: { ...this.#terminal.view.talk, check: check.name } });
        const key = `${this.#session.id}/by-hand/check`;
        const { passed, output } = await check.verify({ key, signal, when: "baseline", records });
        this.say([`check ${visible(check.name)}: ${passed ? look.good("passed") : look.bad("failed")}`]);
        if (!passed)
          this.say(
            visible(output.trimEnd(), { multiline: true })
              .split("\n")
              .slice(-20)
              .map((line) => look.dim(`  ${line}`)),
          );
      }
    } finally {
      this.#turn = undefined;
      this.#terminal.show({ since: undefined, talk: { ...this.#terminal.view.talk, check: undefined } });
    }
  }

  compact(): void {
    this.#compacts = true;
    this.say(["Older messages are summed up with your next words."]);
  }

  async context(): Promise<readonly string[]> {
    const { records } = await this.#session.toJSON();
    return contextLines(records, { context: this.#terminal.view.talk.context, window: this.#options.window });
  }

  async fork(): Promise<void> {
    const { store } = this.#options;
    const id = await forkSession({ store, id: this.#session.id, to: newId() });
    this.say([`This goes on as ${id}; ${this.#session.id} stays as it is.`]);
    this.#session = openSession({ store, id });
  }

  quit(): void {
    this.#leave();
  }
}

/** What was sent to the session and no run has read. */
async function takeBack(session: StoredSessionHandle): Promise<readonly string[]> {
  const lease = await session.lease();
  if (lease === undefined) return [];
  try {
    const sent = (await lease.inbox()).filter(({ answers }) => answers === undefined);
    if (sent.length > 0) await lease.drop(sent.map(({ id }) => id));
    return sent.map(({ text }) => text);
  } finally {
    await lease.release();
  }
}

/** The value that an answer is awaited to. */
function awaitedIn({ records }: Session): unknown {
  const { claim, ended } = fold(records);
  return ended === "waiting" ? claim?.value : undefined;
}

/** True where the process of the last turn went away in the midst of it. */
function isUnfinished({ records }: Session): boolean {
  return (
    records.length > 0 && records.findLast(({ type }) => type === "outcome" || type === "input")?.type !== "outcome"
  );
}
