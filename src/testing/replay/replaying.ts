// A replay in progress: the recording, its place and clock, and what the replay met that the recording does not have.

import { systemRuntime, type Runtime } from "../../core/index.js";
import type { Place, Recording } from "./recording.js";

/** The calls that run in a replay: none, calls of tools with the effect `read`, or all. */
export type ReplayedTools = "recorded" | "read" | "live";

/** The clock of a replay. It shows the times of the recording, without the waits for a person. */
class RecordedClock {
  #now: number;
  #waited = 0;

  constructor(start: number) {
    this.#now = start;
  }

  get now(): number {
    return this.#now;
  }

  /** Goes on to the time of a record. It never goes back. */
  reach(at: number): void {
    this.#now = Math.max(this.#now, at - this.#waited);
  }

  /** Leaves out the time until a record: nobody worked meanwhile. */
  skip(at: number): void {
    this.#waited = Math.max(this.#waited, at - this.#now);
  }

  /** A run begins: waits before it do not count. */
  begin(at: number): void {
    this.#waited = 0;
    this.reach(at);
  }
}

/** A replay in progress. */
export class Replaying {
  readonly recording: Recording;
  readonly tools: ReplayedTools;
  readonly clock: RecordedClock;
  /** The place that the replay has come to. */
  place: Place = { run: 0, iteration: 0 };
  /** The key of the request that the recording has no reply to; undefined as long as there was none. */
  past: string | undefined;
  /** The runs of which the recording has no end, and that came to where it ends. */
  readonly open: number[] = [];
  /** The calls that ran for real. */
  readonly ran: string[] = [];
  /** Things that limit what the replay can say. */
  readonly remarks: string[] = [];
  /** Ends the part of the run that is at work. */
  stop: AbortController = new AbortController();
  /** The steps that shortened the prompt since the last reply. */
  shortened = 0;
  #told = 0;

  constructor(recording: Recording, tools: ReplayedTools) {
    this.recording = recording;
    this.tools = tools;
    this.clock = new RecordedClock(recording.beginnings[0]?.at ?? 0);
  }

  /** The next reply of the run at the place; undefined if the recording has no more. */
  nextReply(): ReturnType<Recording["replies"]>[number] | undefined {
    return this.recording.replies(this.place.run)[this.#told];
  }

  /** The next reply was said. */
  takeReply(): void {
    this.#told += 1;
  }

  /** Keeps a remark, once. */
  remark(words: string): void {
    if (!this.remarks.includes(words)) this.remarks.push(words);
  }

  /** Takes the place of a record that the replay appended. */
  reach(record: { readonly type: string; readonly run?: number; readonly iteration?: number }): void {
    if (record.type === "input") {
      this.place = { run: record.run ?? 0, iteration: 0 };
      this.#told = 0;
    }
    if (record.type === "reply") this.place = { ...this.place, iteration: record.iteration ?? 0 };
    if (record.type === "input" || record.type === "reply") this.shortened = 0;
    if (record.type === "stub" || record.type === "fold" || record.type === "prune") this.shortened += 1;
  }

  /** The runtime with the clock of the recording. */
  runtime(own: Runtime = systemRuntime): Runtime {
    return {
      now: () => this.clock.now,
      random: () => own.random(),
      id: () => systemRuntime.id(),
      sleep: (ms, signal) => systemRuntime.sleep(ms, signal),
      turn: () => systemRuntime.turn(),
      warn: (fault) => {
        own.warn(fault);
      },
    };
  }
}
