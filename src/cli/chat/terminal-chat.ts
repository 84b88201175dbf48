// The conversation at a terminal: one stored session, turn after turn.

import type { ApprovalAnswer, Event, Model, NewInput, ParkedCall, Principal, SentInput } from "../../core/index.js";
import { abortBy } from "../../core/internal.js";
import { forkSession, openSession, type Store, type StoredSessionHandle } from "../../memory/index.js";
import type { AgentNeeds } from "../task/make-agent.js";
import { approverAt } from "../person/approver.js";
import { choose, suggestionsOf } from "../person/choose.js";
import { formOf } from "../person/ask-reply.js";
import { signedWords } from "../person/signed-words.js";
import {
  answerCommands,
  approvalOf,
  askAbout,
  isAtLimit,
  nextWords,
  parkedWords,
  questionOf,
  saidIn,
} from "../person/parked.js";
import { doubts } from "../show/ending.js";
import { markdownOf, speech, type Speech } from "../display/said.js";
import { newId } from "../sessions/sessions.js";
import { visible } from "../display/visible.js";
import { watch, type Watch, type Watching } from "../show/watch.js";
import { AgentInUse, type Turn } from "./agent-in-use.js";
import { completed, isCommand, obey, type Control } from "./commands.js";
import { controlOf } from "./control.js";
import { Doings } from "./doings.js";
import { emptyEditor } from "./screen/editor.js";
import { clean } from "./screen/keys.js";
import { finishing } from "../person/finish-iteration.js";
import { askedIn, hasRead, isUnfinished, parkedIn, queuedIn, unreadOf } from "./leftovers.js";
import { markdownLines, type Look } from "./markdown/markdown.js";
import { NextFiles } from "./next-files.js";
import { principalIn } from "../person/principal-in.js";
import { counted, silence, talkAfter } from "./screen/talk.js";
import { greeting, spokenBefore, youSaid } from "./telling.js";
import { ChatTerminal, type ChatTerminalOptions } from "./screen/terminal.js";

/** The needs of a conversation. */
export interface Chat extends Omit<AgentNeeds, "approver">, Pick<Watching, "log" | "events"> {
  readonly store: Store;
  readonly session: StoredSessionHandle;
  /** Opens a new session with the same settings. */
  readonly newSession: () => Promise<StoredSessionHandle>;
  /** Makes another model of the same server. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string) => Model;
  readonly terminal: Pick<ChatTerminalOptions, "input" | "output">;
  readonly look: Look;
  /** Aborts when the process has to end. */
  readonly signal: AbortSignal;
}

/** Words of the person, under the id by which the session knows them again. */
type Words = NewInput & { readonly id: string };

/** The yes or no of the person to a run at its limit. */
interface GivenYesOrNo {
  readonly answer: ApprovalAnswer;
  readonly answers: string;
}

/** Holds the conversation until the person leaves. Returns the exit code. */
export function chat(options: Chat): Promise<number> {
  return new Conversation(options).hold();
}

class Conversation {
  readonly #options: Chat;
  readonly #terminal: ChatTerminal;
  #watched: Watch;
  readonly #watching: Watching;
  readonly #agent: AgentInUse;
  readonly #control: Control;
  readonly #left = new AbortController();
  /** The queue of turns and commands. */
  readonly #doings: Doings;
  readonly #files = new NextFiles();
  #session: StoredSessionHandle;
  /** True after the accepted claim, until the turn has ended. */
  #isEnding = false;
  /** True if the last turn was not completed: an empty line resumes it. */
  #isResumable = false;
  /** The question that the session waits for an answer to; undefined if it does not wait. */
  #asked: unknown;
  /** Reads the values of the tools that end a turn. */
  #speech: Speech = speech([]);
  /** True: the next turn shortens the prompt. */
  #compacts = false;
  /** Resolves when all messages to the running turn are sent. */
  #sending: Promise<void> = Promise.resolve();
  /** These messages, oldest first, until a turn begins that reads them. */
  #messages: readonly SentInput[] = [];
  /** The words that the person left before a run had read them. */
  readonly #unread: Words[] = [];

  constructor(options: Chat) {
    const { model, window, look, log, events, modelNamed } = options;
    this.#options = options;
    this.#session = options.session;
    this.#doings = new Doings({
      left: this.#left.signal,
      onBusy: (isBusy) => {
        this.#busy(isBusy);
      },
      onFault: (thrown) => {
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        this.#terminal.explain(visible(message, { multiline: true }).split("\n").map(look.bad));
      },
    });
    this.#terminal = new ChatTerminal(
      {
        ...options.terminal,
        look,
        complete: completed,
        onSent: (text) => {
          this.#sent(text.trim());
        },
        onInterrupt: (isSecond) => {
          this.#interrupt(isSecond);
        },
        onStop: () => {
          this.#stop();
        },
        onEnd: () => {
          this.#leave();
        },
      },
      { model: model.name, window },
    );
    const say = (text: string): void => {
      this.#terminal.explain(text.split("\n"));
    };
    this.#watching = { log, style: look, say, events, condensed: true };
    this.#watched = watch(this.#watching);
    const approver = approverAt(this.#terminal, { style: look, say, chosen: options.chosen });
    this.#agent = new AgentInUse({ ...options, approver }, this.#watched.hooks);
    this.#control = controlOf({
      agent: this.#agent,
      terminal: this.#terminal,
      look,
      window,
      modelNamed,
      files: this.#files,
      changes: options.changes,
      session: () => this.#session.toJSON(),
      below: () => this.#watched.below(),
      busy: async (work) => {
        try {
          await this.#doings.busy(work);
        } finally {
          this.#doings.next(() => this.#takeLate());
        }
      },
      compact: () => {
        this.#compacts = true;
      },
      fork: () => this.#fork(),
      startAnew: () => this.#startAnew(),
      quit: () => {
        this.#leave();
      },
    });
  }

  async hold(): Promise<number> {
    const { signal } = this.#options;
    const leave = (): void => {
      this.#leave();
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    try {
      const left = new Promise((resolve) => {
        this.#left.signal.addEventListener("abort", resolve, { once: true });
      });
      await this.#begin();
      if (!this.#left.signal.aborted) await left;
    } finally {
      this.#doings.stop(abortBy("The conversation was left.", signal.aborted ? undefined : this.#by));
      this.#terminal.close();
      await this.#doings.end();
      signal.removeEventListener("abort", leave);
    }
    const kept = await this.#session.toJSON();
    if (kept.records.length > 0) {
      for (const words of this.#unread) if (!hasRead(kept, words.id)) await this.#session.send(words);
      this.#terminal.say([`To go on: lastcall chat ${this.#session.id}`]);
    }
    return signal.aborted ? 130 : 0;
  }

  /** Shows the greeting and the last exchanges, and resumes a turn that its process left. */
  async #begin(): Promise<void> {
    const { workdir, model, look } = this.#options;
    const session = await this.#session.toJSON();
    const { notices, speech } = await this.#agent.get();
    this.#speech = speech;
    this.#terminal.explain(greeting({ id: session.id, model: model.name, workdir, remarks: notices }, look));
    this.#terminal.say(spokenBefore(session.records, { look, columns: this.#terminal.columns, speech }));
    const replies = session.records.flatMap((record) => (record.type === "reply" ? [record.reply.usage] : []));
    const typed = session.records.flatMap((record) =>
      record.type === "input" && record.text !== "" ? [clean(record.text)] : [],
    );
    this.#terminal.show({ talk: replies.reduce(counted, silence), editor: emptyEditor(typed) });
    this.#terminal.open();
    this.#options.servers?.tellTo((line) => {
      this.#terminal.explain([look.dim(line)]);
    });
    this.#pose(askedIn(session));
    const parked = parkedIn(session);
    if (parked !== undefined) await this.#tellOf(parked);
    const isLeft = isUnfinished(session);
    this.#messages = await queuedIn(session, this.#options);
    this.#terminal.show({ waiting: this.#messages.map(({ text }) => text) });
    if (this.#messages.length > 0 && !isLeft)
      this.#terminal.say([look.dim("Words wait that no turn has read (↳). Enter begins a turn with them.")]);
    if (!isLeft) return;
    this.#terminal.say([look.dim("The last turn has no end yet; it goes on.")]);
    this.#doings.next(() => this.#turn(undefined));
  }

  /** The person, if the command was told the name. */
  get #by(): Principal | undefined {
    return principalIn(this.#options.settings);
  }

  #leave(): void {
    this.#left.abort();
  }

  /** Takes words of the person: a command, a message to the running turn, or the input of the next turn. */
  #sent(words: string): void {
    const doings = this.#doings;
    const isBusy = doings.isBusy && !this.#isEnding;
    if (isCommand(words)) {
      this.#terminal.say(["", this.#options.look.dim(`> ${words}`)]);
      const later = (work: () => Promise<void>): void => {
        doings.next(work);
      };
      if (isBusy) void doings.now(() => obey(words, this.#control, later));
      else doings.next(() => obey(words, this.#control));
    } else if (words === "") {
      if (doings.isBusy) return;
      if (this.#isResumable) doings.next(() => this.#turn(undefined));
      else if (this.#messages.length > 0) doings.next(() => this.#takeLate());
    } else if (isBusy) {
      this.#terminal.show({ waiting: [...this.#terminal.view.waiting, words] });
      const send = doings.now(async () => {
        const attachments = await this.#files.take();
        const by = this.#by;
        const message = await this.#session.send({ text: words, attachments, ...(by && { by }) });
        this.#messages = [...this.#messages, message];
      });
      this.#sending = Promise.all([this.#sending, send]).then(() => undefined);
    } else doings.next(() => this.#take(words));
  }

  /**
   * During a run the first finishes the iteration, the second stops the run, and the third leaves. An iteration that asks something is
   * stopped by the first. At rest the second leaves.
   */
  #interrupt(isSecond: boolean): void {
    const { isBusy, isStopping } = this.#doings;
    if (isBusy ? isStopping : isSecond) this.#leave();
    else if (!this.#terminal.isAsking && this.#doings.finish()) {
      this.#terminal.show({ hint: "finishing this iteration; Ctrl-C once more stops at once" });
      return;
    } else this.#doings.stop(abortBy("Interrupted.", this.#by));
    this.#terminal.show({ hint: isBusy ? "stopping; Ctrl-C once more leaves" : "Ctrl-C once more leaves" });
  }

  /** Stops the long work. At rest there is nothing to stop. */
  #stop(): void {
    if (!this.#doings.isBusy) return;
    this.#doings.stop(abortBy("Interrupted.", this.#by));
    this.#terminal.show({ hint: "stopping" });
  }

  /** Shows that long work begins, or has ended. */
  #busy(isBusy: boolean): void {
    const { talk } = this.#terminal.view;
    if (isBusy) {
      this.#isEnding = false;
      this.#terminal.show({ choices: [], chosen: -1, since: Date.now(), hint: "" });
    } else this.#terminal.show({ since: undefined, waiting: [], hint: "", talk: { ...talk, check: undefined } });
  }

  /** Runs a turn with words that the person typed, and the files of /attach. */
  async #take(text: string): Promise<void> {
    const by = this.#by;
    const say = (line: string): void => {
      this.#terminal.explain([line]);
    };
    const words = await signedWords(text, { asked: this.#asked, signIn: this.#options.servers?.signIn, by, say });
    if (words === undefined) return;
    const attachments = await this.#files.take();
    await this.#turn({ id: crypto.randomUUID(), text: choose(this.#asked, words), attachments });
  }

  /**
   * Runs a turn with the words; without words, resumes the last run. If the person leaves before a run has read the words, they stay in the
   * session for its next run.
   */
  async #turn(words: Words | undefined): Promise<void> {
    let isRead = words === undefined;
    try {
      if (!this.#left.signal.aborted) isRead = await this.#run(words);
    } finally {
      if (words !== undefined && !isRead && this.#left.signal.aborted) this.#unread.push(words);
    }
    await this.#takeLate();
  }

  /** Runs the agent. Returns true if a run has read the words. */
  async #run(words: Words | undefined): Promise<boolean> {
    if (words !== undefined) {
      const { look } = this.#options;
      this.#terminal.say(["", ...youSaid(words.text, { look, columns: this.#terminal.columns })]);
    }
    const { agent, context, speech, remarks } = await this.#agent.get();
    this.#speech = speech;
    this.#isResumable = false;
    let isRead = false;
    await this.#doings.busy(async (stopped, atFinish) => {
      const [by, session] = [this.#by, this.#session];
      const begin = (input: Words | GivenYesOrNo | undefined): Promise<Turn> => {
        const { signal, onEvent, finish, end } = finishing({ signal: stopped, onEvent: this.#onEvent, by });
        atFinish(finish);
        const given = { onEvent, signal, compact: this.#compacts, context, by };
        this.#compacts = false;
        if (input === undefined) return agent.resume(session, given).finally(end);
        const run =
          "id" in input
            ? agent.run(input.text, { ...given, session, inputId: input.id, attachments: input.attachments })
            : agent.run(input.answer, { ...given, session, answers: input.answers });
        return run.finally(end);
      };
      let outcome = await begin(words);
      isRead = words === undefined || hasRead(outcome.session, words.id);
      for (;;) {
        const answer = await this.#askedAtLimit(outcome, stopped);
        if (answer === undefined) break;
        outcome = await begin(answer);
      }
      await this.#showOutcome(outcome);
    });
    this.#terminal.explain(remarks());
    return isRead;
  }

  /**
   * Runs a turn with the first message that no run has read; its first step reads the messages after it. If the person has left, they stay
   * in the session for its next run.
   */
  async #takeLate(): Promise<void> {
    await this.#sending;
    if (this.#left.signal.aborted) return;
    const sent = this.#messages;
    this.#messages = [];
    const [first, ...others] = await unreadOf(sent, { store: this.#options.store, session: this.#session });
    if (first === undefined) return;
    this.#messages = others;
    this.#terminal.show({ waiting: others.map(({ text }) => text) });
    await this.#turn({ ...first, text: choose(this.#asked, first.text) });
  }

  readonly #onEvent = (event: Event): void => {
    const { look } = this.#options;
    const { talk, waiting } = this.#terminal.view;
    const taken = event.type === "steer" ? waiting.indexOf(event.text) : -1;
    // Lines are printed above the bottom as it is now: above the streamed words, a long answer would leave the screen.
    this.#terminal.change({
      talk: talkAfter(talk, event),
      ...(taken >= 0 && { waiting: waiting.filter((_text, index) => index !== taken) }),
    });
    if (event.type === "claim-accepted") {
      this.#isEnding = true;
      this.#sayValue(event.tool, event.value);
    }
    this.#watched.onEvent(event);
    if (event.type === "claim-retracted" && talk.words !== "")
      this.#terminal.say([look.dim("What was just said is taken back.")]);
    this.#terminal.show({});
  };

  /** Shows the words of the model that end a turn. */
  #sayValue(by: string, value: unknown): void {
    const { look } = this.#options;
    const said = markdownOf(this.#speech(by, value));
    this.#terminal.say(["", ...markdownLines(said, { columns: this.#terminal.columns, look })]);
  }

  /** Shows the outcome of a turn. The accepted words are shown already, unless another process has run the turn that took the words. */
  async #showOutcome(outcome: Turn): Promise<void> {
    const { look } = this.#options;
    if (outcome.joined === true) {
      const said = saidIn(outcome);
      if (said !== undefined) this.#sayValue(said.by, said.value);
      const parked = outcome.status === "waiting" ? approvalOf(outcome) : undefined;
      if (parked !== undefined) await this.#tellOf(parked);
    }
    this.#pose(outcome.status === "waiting" ? questionOf(outcome)?.value : undefined);
    if (outcome.status === "waiting") {
      this.#terminal.explain(formOf(outcome).map((line) => look.dim(line)));
      return;
    }
    if (outcome.status === "completed") {
      const words = [
        ...(outcome.verified === "unchecked" ? ["unchecked"] : []),
        ...doubts(outcome, this.#options.settings),
      ];
      this.#terminal.explain(words.map((line) => look.dim(visible(line))));
      return;
    }
    this.#isResumable = true;
    if (outcome.status === "failed")
      this.#terminal.explain(visible(outcome.fault.message, { multiline: true }).split("\n").map(look.bad));
    this.#terminal.explain(this.#watched.ending());
    if (!this.#left.signal.aborted) this.#terminal.explain([look.dim("Say what to do now, or press Enter to go on.")]);
  }

  /** The answer of the person to a run that waits at its limit; undefined if it does not, or if nobody answers. */
  async #askedAtLimit(outcome: Turn, signal: AbortSignal): Promise<GivenYesOrNo | undefined> {
    const parked = outcome.status === "waiting" && outcome.joined !== true ? approvalOf(outcome) : undefined;
    if (parked === undefined || !isAtLimit(parked)) return undefined;
    const say = (text: string): void => {
      this.#terminal.explain(text.split("\n"));
    };
    const answer = await askAbout(parked, this.#terminal, { style: this.#options.look, say, signal });
    if (answer === undefined) await this.#tellOf(parked);
    return answer && { answer, answers: parked.id };
  }

  /** Shows a call that another process left to wait for an approval. */
  async #tellOf(parked: ParkedCall): Promise<void> {
    const { look } = this.#options;
    const lines = `${await parkedWords(parked, look)}\n${nextWords(parked)}\n${answerCommands(parked, this.#session.id)}`;
    this.#terminal.explain(lines.split("\n"));
  }

  /** Sets the question that waits for an answer, and shows its suggestions. */
  #pose(asked: unknown): void {
    this.#asked = asked;
    this.#terminal.show({ choices: suggestionsOf(asked), chosen: -1 });
  }

  async #startAnew(): Promise<readonly [from: string | undefined, to: string]> {
    const { id, records } = await this.#session.toJSON();
    this.#session = await this.#options.newSession();
    this.#watched = watch(this.#watching);
    this.#isResumable = false;
    this.#compacts = false;
    this.#pose(undefined);
    this.#messages = [];
    this.#terminal.show({ talk: silence, waiting: [] });
    return [records.length === 0 ? undefined : id, this.#session.id];
  }

  async #fork(): Promise<readonly [from: string, to: string]> {
    const { store } = this.#options;
    const { id: from } = this.#session;
    const to = await forkSession({ store, id: from, to: newId() });
    this.#session = openSession({ store, id: to });
    // The words that wait stay in the conversation so far.
    this.#messages = [];
    this.#terminal.show({ waiting: [] });
    return [from, to];
  }
}
