// The messages between the page and the worker that runs the agent.

import type { Event, Input } from "lastcall";

/** The reader's own model. It stays in the tab. */
export interface OwnModel {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What the worker does with the agent. */
export type Action =
  | { readonly type: "run" }
  | { readonly type: "resume" }
  | { readonly type: "answer"; readonly answers: string; readonly answer: Input };

/** Starts a worker. */
export interface Start {
  readonly type: "start";
  /** The code, with the modules that it imports. */
  readonly code: string;
  readonly imports: readonly { readonly from: string; readonly names: readonly string[]; readonly line: number }[];
  /** The places of the texts after `from`, in their order: the first and the last character, and the module. */
  readonly places: readonly { readonly start: number; readonly end: number; readonly from: string }[];
  readonly session: string;
  readonly action: Action;
  /** The milliseconds before each reply of a script. */
  readonly pace: number;
  /** Answers in place of the scripts. Absent: the scripts answer. */
  readonly own?: OwnModel | undefined;
}

/** The answer of the bank to one request. */
export interface BankAnswer {
  readonly type: "bank";
  readonly request: number;
  readonly value: unknown;
}

export type ToWorker = Start | BankAnswer;

/** A request to the bank, which stands in the page. */
export type BankRequest =
  { readonly do: "pay"; readonly key: string; readonly to: string; readonly cents: number } | { readonly do: "books" };

/** The prompt of one request, as the model got it. */
export interface Prompt {
  readonly key: string;
  readonly system: string;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
}

/** Something wrong in the reader's code. */
export interface Problem {
  readonly message: string;
  /** The line in the code, from 1. Absent if nobody knows it. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export type FromWorker =
  /** The worker has read the journal and begins. */
  | { readonly type: "begun"; readonly records: number }
  | { readonly type: "event"; readonly event: Event }
  | { readonly type: "prompt"; readonly prompt: Prompt }
  | { readonly type: "stored"; readonly session: string; readonly lines: readonly string[] }
  | { readonly type: "log"; readonly level: "log" | "warn" | "error"; readonly text: string }
  | { readonly type: "bank"; readonly request: number; readonly ask: BankRequest }
  | { readonly type: "problem"; readonly problem: Problem }
  | { readonly type: "done" };
