// The purse of a run: reserves its next request in the budgets of the runs around it, and lets the agents in its tools reserve theirs.

import { isReservation, type Budget, type Reservation } from "../ports/budget.js";
import { limitReached, type Limits } from "../ports/limit.js";
import { type LimitReached } from "../data/limit-reached.js";
import { addSpent, nothingSpent, type Spent } from "../journal/spent.js";
import type { State } from "../journal/state.js";

/** The run that a purse belongs to. */
export interface PurseOwner {
  state(): State;
  readonly limits: Limits;
  /** Records spending other than that of the run's own replies. */
  charge(spent: Spent): Promise<unknown>;
}

/** A budget that is open while one call runs. */
export interface OpenBudget extends Budget {
  /** Ends the budget with its call: no further request can be reserved, and usage that arrives later is not recorded. */
  close(): void;
}

/** The reservations of one run, in its own limits and in the budgets around it. */
export class Purse {
  readonly #owner: PurseOwner;
  readonly #above: Budget | undefined;
  /** The sum of the open reservations of agents in tools. */
  #reserved: Spent = nothingSpent;
  #next: Reservation | undefined;

  constructor(owner: PurseOwner, above: Budget | undefined) {
    this.#owner = owner;
    this.#above = above;
  }

  /**
   * Reserves the run's own next request in the budgets above. Returns the limit that forbids it, or undefined. `conclude` checks the
   * run's own limits.
   */
  reserveNext(next: Spent): LimitReached | undefined {
    this.dropNext();
    const answer = this.#above?.reserve(next);
    if (answer === undefined) return undefined;
    if (!isReservation(answer)) return answer;
    this.#next = answer;
    return undefined;
  }

  /** Settles the reservation of the run's own request with its actual usage. */
  async settleNext(spent: Spent): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    await next?.settle(spent);
  }

  /** Releases the reservation of the run's own request, if it has one: the request got no reply. */
  dropNext(): void {
    this.#next?.release();
    this.#next = undefined;
  }

  /** Opens a budget for a call. */
  open(): OpenBudget {
    let isOpen = true;
    return {
      reserve: (next) => (isOpen ? this.#reserve(next, () => isOpen) : callHasEnded),
      close: () => {
        isOpen = false;
      },
    };
  }

  #reserve(next: Spent, isOpen: () => boolean): Reservation | LimitReached {
    const state = this.#owner.state();
    const { limits } = this.#owner;
    const reached = limitReached({ ...state, spent: addSpent(state.spent, this.#reserved) }, limits, next);
    if (reached !== undefined) return reached;
    const above = this.#above?.reserve(next);
    if (above !== undefined && !isReservation(above)) return above;
    this.#reserved = addSpent(this.#reserved, next);
    const release = (): void => {
      const { iterations, tokens, cost } = next;
      this.#reserved = addSpent(this.#reserved, { iterations: -iterations, tokens: -tokens, cost: -cost });
    };
    return {
      release: () => {
        release();
        above?.release();
      },
      settle: async (spent) => {
        release();
        if (isOpen()) await this.#owner.charge(spent);
        await above?.settle(spent);
      },
    };
  }
}

const callHasEnded: LimitReached = {
  reason: "timeout",
  message: "the call that it was started by is over",
  canClose: false,
};
