// The bugs that can be planted, to see that the checks find them: some in the parts around the library, others in its sources.

/** A bug in a source: the text is replaced when a simulation is bundled. It has to stand there exactly once. */
export interface Plant {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** A bug: what it does, and the plant if it is one of a source. */
export interface Planted {
  readonly does: string;
  readonly plant?: Plant;
}

/** The bugs by name. */
export const bugs = {
  "unchecked-append": { does: "the store appends the lines of a writer whose lease is over" },
  "lost-notify": { does: "a follower relies on hints alone, and one of them may be lost" },
  "double-answer": { does: "the host forgets the ids of inputs, so what is delivered twice counts twice" },
  "early-release": { does: "the host gives a session back before the outcome is stored" },
  "budget-twice": { does: "a run that is resumed counts what it used before twice" },
  "skewed-clock": { does: "leases are kept by the clocks of the workers" },
  "torn-batch": {
    does: "a connection that breaks leaves the first line of a batch, and the store believes that all are there",
  },
  "retried-step": { does: "an engine runs a step again that had its effect and lost its answer" },
  "engine-error": {
    does: "an error of the engine's own, such as one after the close began, ends a delivery",
    plant: {
      file: "src/host/worker.ts",
      text: "if (hold.isTaken(thrown) || this.#left.has(hold)) throw thrown;",
      by: "throw thrown;",
    },
  },
  "fault-ends": {
    does: "a fault of the store ends a delivery",
    plant: {
      file: "src/host/worker.ts",
      text: 'return { again: "fault" };',
      by: 'return { status: "failed", reason: "store" };',
    },
  },
  "same-name": {
    does: "the attempt after one in vain has the same name, so that the engine takes it for the same",
    plant: {
      file: "src/host/worker.ts",
      text: "name: attemptName(work.first, times)",
      by: "name: work.first",
    },
  },
  "approval-waits": {
    does: "a run that goes on after an approval counts as one that waits",
    plant: {
      file: "src/core/journal/run-state.ts",
      text: '  approval: "begins",',
      by: '  approval: "within" as never,',
    },
  },
  "store-failure-ends": {
    does: "a run that failed because the store did counts as ended",
    plant: {
      file: "src/core/journal/run-state.ts",
      text: 'return status !== "failed" || reason !== "store";',
      by: "return status.length > 0 || reason !== undefined;",
    },
  },
  "told-once": {
    does: "the journal is not asked once more under the lease whether a delivery was made",
    plant: {
      file: "src/host/delivery/drive-session.ts",
      text: 'if (state.kind === "ended") throw this.#over(state.outcome);',
      by: "",
    },
  },
  "unfenced-stop": {
    does: "a stop looks for its run without the lease, while a process stands still that is about to begin this run",
    plant: {
      file: "src/host/delivery/drive-session.ts",
      text: 'if (stop !== undefined && state.kind !== "open" && (await isStored(store, id, records)))',
      by: "if (stop !== undefined && records.length < 0)",
    },
  },
  "kept-too-soon": {
    does: "an input counts as kept as soon as its run starts",
    plant: {
      file: "src/host/host-in-process.ts",
      text: 'if (type !== "lease-wait" && type !== "run-start" && type !== "run-end") this.#keep("journal");',
      by: 'if (type !== "lease-wait") this.#keep("journal");',
    },
  },
  "kept-without-agent": {
    does: "words count as kept in the inbox of a session that has no journal yet",
    plant: {
      file: "src/host/host-in-process.ts",
      text: 'if (read?.about !== undefined || (read?.records.length ?? 0) > 0) this.#keep("inbox");',
      by: 'this.#keep("inbox");',
    },
  },
  "first-left-only": {
    does: "a start goes on with the first of the inputs that a dead process left",
    plant: {
      file: "src/host/left-sessions.ts",
      text: "left.push(...inputs.map(",
      by: "left.push(...inputs.slice(0, 1).map(",
    },
  },
  "open-runs-passed-over": {
    does: "a start goes on with inputs that a dead process left, and not with runs",
    plant: {
      file: "src/host/left-sessions.ts",
      text: 'runState(records) === "open" ? [{}] :',
      by: 'runState(records) === "open" ? [] :',
    },
  },
} as const satisfies Readonly<Record<string, Planted>>;

/** The name of a bug. */
export type Bug = keyof typeof bugs;

/** The names of all bugs. */
export const bugNames: readonly Bug[] = Object.keys(bugs) as Bug[];
