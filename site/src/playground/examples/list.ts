// The examples of the playground in their order: titles, words, and how each one ends.

/** The end of an example: the status of its outcome, or of its first outcome if it waits for the reader. */
export interface Ending {
  readonly status: "completed" | "waiting" | "stopped";
  /** The tool that ended the run. Absent for a run that no tool ended. */
  readonly by?: string;
  /** The reason of a stopped run. */
  readonly reason?: string;
}

/** An example, without its code. */
export interface Example {
  /** The name of its file, and the fragment of its address. */
  readonly id: string;
  readonly title: string;
  /** A sentence on what it shows. */
  readonly says: string;
  /** A sentence on what to change. */
  readonly tries: string;
  /** The end of its first run. */
  readonly ends: Ending;
  /** The end once the reader has answered. Absent if it waits for nobody. */
  readonly then?: Ending;
}

const completed = (by = "task_completion"): Ending => ({ status: "completed", by });

export const examples: readonly Example[] = [
  {
    id: "hello",
    title: "Hello",
    says: "A run ends when the model calls a tool that ends it, and in no other way.",
    tries: "Put a reply of words alone before the other one: the run does not end with it.",
    ends: completed(),
  },
  {
    id: "tool",
    title: "A tool",
    says: "The model's calls are checked against the schema, run, and answered. An error is an answer too.",
    tries: "Let the script ask for a part that is not there three times.",
    ends: completed(),
  },
  {
    id: "ending",
    title: "An ending of your own",
    says: "The outcome is a union: one case for each tool that may end the run, with its typed value.",
    tries: "Change the last call to escalate: the value has other fields.",
    ends: completed("diagnose"),
  },
  {
    id: "refused-claim",
    title: "A refused claim",
    says: "The model says that it is done before it is. The check refuses the claim and tells it why.",
    tries: "Remove the third reply, and run again.",
    ends: completed(),
  },
  {
    id: "healed-mistake",
    title: "A mistake healed",
    says: "Words without a call, broken JSON, a field that does not exist: each is answered, and the run goes on.",
    tries: "Compare the prompts of requests 4 and 5.",
    ends: completed(),
  },
  {
    id: "circuit",
    title: "The circuit opens",
    says: "Five identical failures in a row end the run, before it costs more.",
    tries: "Add `circuit: { identical: 3 }` to the agent.",
    ends: { status: "stopped", reason: "circuit_open" },
  },
  {
    id: "question",
    title: "A question",
    says: "The agent asks, and its run ends. Your answer goes on in a new worker.",
    tries: "Reload the page before you answer.",
    ends: { status: "waiting", by: "ask_question" },
    then: completed(),
  },
  {
    id: "approval",
    title: "A parked approval",
    says: "A call waits for a yes, with exactly its arguments. It runs once, or never.",
    tries: "Refuse it, and look at the bank.",
    ends: { status: "waiting", by: "refund" },
    then: completed(),
  },
  {
    id: "crash",
    title: "Kill and resume",
    says: "Kill the run in the midst of a payment, resume it, and count the payments.",
    tries: "Remove `idempotent`, kill it during a payment, and read what the model is told.",
    ends: completed(),
  },
  {
    id: "hand-over",
    title: "Hand over, delegate",
    says: "Three agents: one passes the run on, one goes on in it, one works below it in a session of its own.",
    tries: "Kill it during the search, and resume.",
    ends: completed("refunded"),
  },
];
