// A session that the page shows: its rows, and what happens in it.

import { nothing, liveAfter, type Live } from "./live.js";
import { Timeline } from "./timeline.js";
import type { Api } from "./server-api.js";

/** Records that are shown first. Earlier records follow. */
const shownFirst = 2000;
/** Milliseconds until a lost connection is tried again. */
const retryAfter = 1000;

/** A session with its rows. It follows the server until it is closed, and goes on behind the last record if the connection breaks. */
export class ShownSession {
  readonly id: string;
  timeline: Timeline = new Timeline();
  live: Live = nothing;
  /** The problem with the connection, in words; empty without one. */
  problem = "";
  /** True once all earlier records are here. */
  isWhole = false;
  readonly #api: Api;
  #changed: () => void = () => undefined;

  constructor(id: string, api: Api) {
    this.id = id;
    this.#api = api;
  }

  /** Follows the session until the signal aborts. `changed` is called after each change. */
  async follow(changed: () => void, signal: AbortSignal): Promise<void> {
    this.#changed = changed;
    let cursor: string | undefined;
    while (!signal.aborted) {
      try {
        cursor ??= await this.#load();
        for await (const frame of this.#api.frames(this.id, cursor, signal)) {
          cursor = frame.cursor;
          if (frame.reset !== undefined) this.timeline = new Timeline();
          else if (frame.record !== undefined) {
            this.live = nothing;
            this.timeline.add(frame.record);
          } else this.live = liveAfter(this.live, frame.event);
          this.problem = "";
          this.#changed();
        }
        this.problem = "The connection ended, and is made again.";
      } catch (thrown) {
        this.problem = thrown instanceof Error ? thrown.message : String(thrown);
      }
      this.live = nothing;
      this.#changed();
      await new Promise((resolve) => setTimeout(resolve, retryAfter));
    }
  }

  /** Loads all records, the last records first. Returns the cursor behind them. */
  async #load(): Promise<string> {
    const { records: last, cursor } = await this.#api.lastRecords(this.id, shownFirst);
    const before = last[0]?.seq ?? 0;
    this.#show(last);
    if (before > 0) {
      const { records: first } = await this.#api.firstRecords(this.id, before);
      this.#show([...first, ...last]);
    }
    this.isWhole = true;
    this.#changed();
    return cursor;
  }

  #show(records: Timeline["records"]): void {
    const timeline = new Timeline();
    for (const record of records) timeline.add(record);
    this.timeline = timeline;
    this.problem = "";
    this.#changed();
  }
}
