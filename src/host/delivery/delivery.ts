// Deliveries: the only shape of whatever goes to a session.

import type { Attachment, ClientTool, Input, NewAttachment, Principal } from "../../core/index.js";

/**
 * Something that goes to a session: new words, an answer, an approval, or the wish that it goes on.
 *
 * - `{ input: "words" }` begins a new session, and `{ session, input: "words" }` says something to one. A run that is at work takes the
 *   words at its next boundary, and otherwise a run begins.
 * - `{ session, answers, input }` answers the question of a call. With `input: { allowed, digest }` it approves or refuses the call that
 *   was shown: `answers` is `waiting.id` of the end of its run, and `digest` its `waiting.digest`.
 * - `{ session }` goes on with a session without new words, as `agent.resume`: after a limit, a fault or an abort, or if nobody answered in
 *   time. A run at work is left alone, and its end is told. A run that a dead process left needs no resume.
 */
export interface Delivery {
  /** The session. Default: a new session. */
  readonly session?: string | undefined;
  /** The agent of a new session, by name. Default: the first. A session that exists keeps its own. */
  readonly agent?: string | undefined;
  /**
   * Words, a typed reply, or the answer to an approval. Without its `digest`, an approval is your program's own yes to the call that
   * waits: so the body of a request is no input. Default: the session goes on without new words.
   */
  readonly input?: Input | undefined;
  /** The id of the call that the input answers: `waiting.id` of the end of its run. Default: see `RunOptions`. */
  readonly answers?: string | undefined;
  /** The id of the input, 1 to 200 characters: an id that comes twice counts once. Default: a new id; for an answer, the id of its call. */
  readonly inputId?: string | undefined;
  /** The files that go with the words. Their bytes are kept once, with the session. Default: none. */
  readonly attachments?: readonly (NewAttachment | Attachment)[] | undefined;
  /**
   * Tools that the caller's client carries out, a page for example. A call of one ends the run as `waiting`, and goes on with the answer
   * that is the client's result; new words in its place go on without. They hold until others are given. Default: the tools of the session
   * so far.
   */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** The person or program that gives it, as in `RunOptions`. The program that gives it vouches for it. Default: nobody says so. */
  readonly by?: Principal | undefined;
  /**
   * Without an input: the number (`seq`) from which on the session has not gone on yet. A later record, or the record of this
   * number, makes the delivery void if it begins or ends a run. Default: the number of records that the session has now.
   */
  readonly resumeFrom?: number | undefined;
  /**
   * Deliveries with a lower number begin before other deliveries that wait for a place, from 1 to 2,147,483,647. Deliveries without a
   * number begin first. A host without a queue refuses it.
   */
  readonly priority?: number | undefined;
  /** The tenant, for the limit of each tenant. A host without such a limit refuses it. */
  readonly tenant?: string | undefined;
}

/** The priority and the tenant of a delivery. */
export type QueueTerms = Pick<Delivery, "priority" | "tenant">;

/** A delivery as an engine keeps it: as plain data, with its session and its agent. */
export interface Work extends Omit<Delivery, "session" | "agent" | "attachments"> {
  readonly session: string;
  readonly agent: string;
  /** Attachments whose bytes the session keeps. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** The time at which it was given, in milliseconds since 1970. Absent in deliveries of older versions. */
  readonly givenAt?: number | undefined;
  /** Ends the last run as aborted, for this reason, if it has no end. There is no input then. Default: nothing is ended. */
  readonly stop?: string | undefined;
  /** With `stop`: only a run that began before this number (`seq`) ends, so that a later run goes on. Default: any. */
  readonly before?: number | undefined;
  /** With `before`: a run that one of these inputs began ends, too, and none of them stays in the inbox. Default: no other run. */
  readonly inputs?: readonly string[] | undefined;
  /** The name of the first attempt. */
  readonly first: string;
  /** The number of attempts before this attempt, all in vain. */
  readonly times: number;
}
