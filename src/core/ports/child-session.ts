// The session of an agent that a call runs: a run on it is bound to the run around it.

import type { Principal } from "../data/principal.js";
import type { OpenSession, ReadableSession } from "../journal/session.js";
import type { Redactor } from "../secret/redact.js";
import type { Suspension } from "../time/suspension.js";
import type { Budget } from "./budget.js";
import type { AnyPermission, ApprovalOptions } from "./permission.js";

/** The run around the run of an agent: its rules hold for both runs. */
export interface AroundRun {
  /** Aborts when the call that runs the agent does. */
  readonly signal: AbortSignal;
  /** The rest of its limits. */
  readonly budget: Budget;
  /** Its permission: a call needs this permission and the agent's own. */
  readonly permission: AnyPermission;
  /** Its rules for answers to calls that wait: an answer needs these rules and the agent's own. */
  readonly approvals: readonly ApprovalOptions[];
  /** The ids of the calls that led to the agent, the outermost first. */
  readonly path: readonly string[];
  /** The principal of the call that runs the agent. Undefined if it has none. */
  readonly principal: Principal | undefined;
  /** The principal of the last answer that the call passed on to the agent. Undefined if nobody said who it is. */
  readonly answeredBy: () => Principal | undefined;
  /** Its secrets. The agent redacts them too. */
  readonly secrets: Redactor;
  /** Suspends the agent with it. Undefined if nobody suspends it, or if the call could not run again. */
  readonly suspension: Suspension | undefined;
  /**
   * Takes an `Event` of a run that `agent.run` began, and calls `read` when it was read: the agent goes on then. Undefined if nobody sees
   * the events of the run around.
   */
  readonly tell: ((event: { readonly type: string }, read: () => void) => void) | undefined;
}

/**
 * The session of an agent that a call runs. A run on it can do no more than the run around it: it needs that run's permission as well,
 * draws from that run's limits, leaves out that run's secrets, and ends with the call. Nothing is written before its first run.
 */
export interface ChildSession extends OpenSession, ReadableSession {
  readonly around: AroundRun;
}
