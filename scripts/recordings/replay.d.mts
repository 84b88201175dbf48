// The types of the replay of recorded answers, for the tests.

/** A recorded answer: a line of a file. */
export interface Recording {
  readonly api: "chat" | "responses";
  readonly stream: boolean;
  readonly status?: number | string;
  readonly body: string;
  readonly request?: object;
}

/** The result of a recording. */
export interface Replayed {
  readonly recording: Recording;
  /** The reason why it was not compared; undefined if it was. */
  readonly skipped?: string;
  /** The differences between the two readings, one line each. */
  readonly problems: readonly string[];
}

export function replayRecordings(
  recordings: Iterable<Recording>,
  openai: unknown,
): AsyncGenerator<Replayed, void, void>;
