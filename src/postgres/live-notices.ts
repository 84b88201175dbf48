// Texts for the watchers of a session, over LISTEN and NOTIFY. They are sent only while somebody watches.

import { isPlainObject } from "../core/internal.js";
import type { LiveSender, LiveTexts } from "../memory/index.js";
import { TextsHere } from "../memory/stores.js";
import { channelOf, type Channels } from "./channels.js";

/** Milliseconds for which notices of all sessions are collected. */
const together = 10;
/** Milliseconds after which a sender asks again whether somebody watches. */
const askAgain = 10_000;
/** Milliseconds for which a session counts as watched after somebody has said so. */
const watchedFor = 25_000;
/** Milliseconds for which the connection is kept after the last sender has closed. */
const linger = 1000;
/** The most bytes of a notice. */
const mostBytes = 7900;
/** The most notices of a channel that wait to be sent. */
const mostWaiting = 1000;

/** A session that this process sends to. */
interface Sending {
  senders: number;
  asked: number;
  watchedUntil: number;
}

/** A notice to watchers: a question or a text. */
interface Notice {
  /** The process that sends it. */
  readonly from: string;
  readonly session: string;
  /** Absent in a question whether somebody watches the session. */
  readonly text?: string;
}

/**
 * Passes texts on between processes. Watchers hear texts and questions on one channel, and answer on another channel, which senders
 * hear. A session that nobody watches costs a question in ten seconds, and the questions of a process go together.
 */
export class LiveNotices implements LiveTexts {
  readonly #channels: Channels;
  readonly #texts: string;
  readonly #watched: string;
  readonly #self = crypto.randomUUID();
  readonly #here = new TextsHere();
  /** The number of watchers in this process, by session. */
  readonly #watching = new Map<string, number>();
  readonly #sending = new Map<string, Sending>();
  readonly #outgoing = new Map<string, string[]>();
  #timer: NodeJS.Timeout | undefined;
  #leaveTexts: () => void = () => undefined;
  #leaveWatched: (() => void) | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(channels: Channels, schema: string) {
    this.#channels = channels;
    this.#texts = channelOf(schema, "texts");
    this.#watched = channelOf(schema, "watched");
  }

  sender(id: string): LiveSender {
    if (!this.#channels.hasRoom) return this.#here.sender(id);
    const sending = this.#sending.get(id) ?? { senders: 0, asked: 0, watchedUntil: 0 };
    sending.senders += 1;
    this.#sending.set(id, sending);
    clearTimeout(this.#lingering);
    if (this.#leaveWatched === undefined) this.#hearWatched();
    else this.#ask(id, sending);
    const isHeard = (): boolean => this.#isHeard(id, sending);
    return {
      get isHeard() {
        return isHeard();
      },
      send: (text) => {
        this.#here.tell(id, text);
        if (performance.now() < sending.watchedUntil) this.#tell({ from: this.#self, session: id, text });
      },
      close: () => {
        sending.senders -= 1;
        if (sending.senders === 0) this.#sending.delete(id);
        if (this.#sending.size === 0) this.#leaveSoon();
      },
    };
  }

  hear(id: string, onText: (text: string) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#here.hear(id, onText, signal);
    if (this.#watching.size === 0) this.#hearTexts();
    else this.#queue(this.#watched, id);
    this.#watching.set(id, (this.#watching.get(id) ?? 0) + 1);
    const leave = (): void => {
      const others = (this.#watching.get(id) ?? 1) - 1;
      if (others > 0) this.#watching.set(id, others);
      else this.#watching.delete(id);
      if (this.#watching.size === 0) this.#leaveTexts();
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  /** Hears nothing of other processes any more. */
  close(): void {
    clearTimeout(this.#lingering);
    this.#leaveTexts();
    this.#leaveWatched?.();
    this.#leaveWatched = undefined;
  }

  #isHeard(id: string, sending: Sending): boolean {
    const now = performance.now();
    if (now - sending.asked >= askAgain) this.#ask(id, sending);
    return now < sending.watchedUntil || this.#here.isHeard(id);
  }

  #ask(id: string, sending: Sending): void {
    sending.asked = performance.now();
    this.#tell({ from: this.#self, session: id });
  }

  #hearWatched(): void {
    this.#leaveWatched = this.#channels.hear(this.#watched, {
      onText: (id) => {
        const sending = this.#sending.get(id);
        if (sending !== undefined) sending.watchedUntil = performance.now() + watchedFor;
      },
      onBegin: () => {
        for (const [id, sending] of this.#sending) this.#ask(id, sending);
      },
    });
  }

  #leaveSoon(): void {
    this.#lingering = setTimeout(() => {
      this.#leaveWatched?.();
      this.#leaveWatched = undefined;
    }, linger).unref();
  }

  #hearTexts(): void {
    this.#leaveTexts = this.#channels.hear(this.#texts, {
      onText: (notice) => {
        const { from, session = "", text } = readNotice(notice) ?? {};
        if (!this.#watching.has(session) || from === this.#self) return;
        if (text === undefined) this.#queue(this.#watched, session);
        else this.#here.tell(session, text);
      },
      onBegin: () => {
        for (const id of this.#watching.keys()) this.#queue(this.#watched, id);
      },
    });
  }

  #tell(notice: Notice): void {
    const text = JSON.stringify(notice);
    if (Buffer.byteLength(text) <= mostBytes) this.#queue(this.#texts, text);
  }

  #queue(channel: string, text: string): void {
    const texts = this.#outgoing.get(channel) ?? [];
    // A database that is away loses them.
    if (texts.length < mostWaiting) texts.push(text);
    this.#outgoing.set(channel, texts);
    this.#timer ??= setTimeout(() => void this.#send(), together).unref();
  }

  /** Sends one batch after the other: two at once are on two connections, and either may be first. */
  async #send(): Promise<void> {
    while (this.#outgoing.size > 0) {
      const all = [...this.#outgoing];
      this.#outgoing.clear();
      for (const [channel, texts] of all) await this.#channels.send(channel, texts);
    }
    this.#timer = undefined;
  }
}

/** The notice that a text is; undefined for one of another program. */
function readNotice(text: string): Notice | undefined {
  try {
    const notice = JSON.parse(text) as unknown;
    return isPlainObject(notice) ? (notice as unknown as Notice) : undefined;
  } catch {
    return undefined;
  }
}
