// The bugs that can be planted in the parts around the library, to see that the checks find them.

/** The names of the bugs, and what each does. */
export const bugs = {
  "unchecked-append": "the store appends the lines of a writer whose lease is over",
  "lost-notify": "a follower relies on hints alone, and one of them may be lost",
  "double-answer": "the host forgets the ids of inputs, so what is delivered twice counts twice",
  "early-release": "the host gives a session back before the outcome is stored",
  "budget-twice": "a run that is resumed counts what it used before twice",
  "skewed-clock": "leases are kept by the clocks of the workers",
  "torn-batch": "a connection that breaks leaves the first line of a batch, and the store believes that all are there",
  "retried-step": "an engine runs a step again that had its effect and lost its answer",
} as const;

/** The name of a bug. */
export type Bug = keyof typeof bugs;

/** The names of all bugs. */
export const bugNames: readonly Bug[] = Object.keys(bugs) as Bug[];
