// The purse: what a run sets aside for its own next request up the tree, and what its tools' agents draw from it.

import { isReservation, type Budget, type Reservation } from "../ports/budget.js";
import { limitReached, type Limits } from "../ports/limit.js";
import { type LimitReached } from "../data/limit-reached.js";
import { addSpent, nothingSpent, type Spent } from "../journal/spent.js";
import type { State } from "../journal/state.js";

/** What a purse needs of its run. */
export interface Purser {
  state(): State;
  readonly limits: Limits;
  /** Records what was spent besides the run's own replies. */
  charge(spent: Spent): Promise<unknown>;
}

/** A budget for as long as one call runs. */
export interface OpenBudget extends Budget {
  /** The call is over: nothing more can be drawn, and what still comes in is not recorded. */
  close(): void;
}

/** One run's purse. */
export class Purse {
  readonly #purser: Purser;
  readonly #above: Budget | undefined;
  /** What is set aside for requests under way. */
  #held: Spent = nothingSpent;
  #next: Reservation | undefined;

  constructor(purser: Purser, above: Budget | undefined) {
    this.#purser = purser;
    this.#above = above;
  }

  /** Sets the run's own next request aside up the tree, or says what forbids it there. Its own limits are the judge's to ask. */
  reserveNext(next: Spent): LimitReached | undefined {
    this.dropNext();
    const answer = this.#above?.reserve(next);
    if (answer === undefined) return undefined;
    if (!isReservation(answer)) return answer;
    this.#next = answer;
    return undefined;
  }

  /** The request that was set aside used so much. */
  async settleNext(spent: Spent): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    await next?.settle(spent);
  }

  /** The request that was set aside, if there is one, came to nothing. */
  dropNext(): void {
    this.#next?.release();
    this.#next = undefined;
  }

  /** Opens a budget for a call. */
  open(): OpenBudget {
    let isOpen = true;
    return {
      reserve: (next) => (isOpen ? this.#hold(next, () => isOpen) : callIsOver),
      close: () => {
        isOpen = false;
      },
    };
  }

  #hold(next: Spent, isOpen: () => boolean): Reservation | LimitReached {
    const state = this.#purser.state();
    const { limits } = this.#purser;
    const reached = limitReached({ ...state, spent: addSpent(state.spent, this.#held) }, limits, next);
    if (reached !== undefined) return reached;
    const above = this.#above?.reserve(next);
    if (above !== undefined && !isReservation(above)) return above;
    this.#held = addSpent(this.#held, next);
    const release = (): void => {
      const { iterations, tokens, cost } = next;
      this.#held = addSpent(this.#held, { iterations: -iterations, tokens: -tokens, cost: -cost });
    };
    return {
      release: () => {
        release();
        above?.release();
      },
      settle: async (spent) => {
        release();
        if (isOpen()) await this.#purser.charge(spent);
        await above?.settle(spent);
      },
    };
  }
}

const callIsOver: LimitReached = {
  reason: "timeout",
  message: "the call that it was started by is over",
  canClose: false,
};
