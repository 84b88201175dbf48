// The purse of a run: its open reservations. It reserves the run's next request in the budget above, which belongs to the run around
// this run, and opens budgets for the run's tool calls and its memory.

import type { Principal } from "../data/principal.js";
import { isReservation, type Budget, type Reservation, type ReserveAnswer } from "../ports/budget.js";
import { limitReached, type Limits } from "../ports/limit.js";
import { addSpent, nothingSpent, type Spent, type LimitReached } from "../journal/spent.js";
import type { State } from "../journal/state.js";

/** The run that a purse belongs to. */
export interface PurseOwner {
  state(): State;
  limits(): Limits;
  /** Records usage that does not come from the run's own replies: of the agent of a call, or without a call of its memory. */
  charge(spent: Spent, callId: string | undefined): Promise<unknown>;
}

/** A budget for one tool call or one request of the memory. It is open until `close` is called. */
export interface OpenBudget extends Budget {
  /**
   * Closes the budget, when the call or the request has ended. Nothing more can be reserved then, and this run does not record usage
   * that arrives later. The runs above still do, if their budgets are open.
   */
  close(): void;
}

/** The tool call that a budget is opened for. */
export interface OpenedFor {
  readonly callId: string;
  /** The principal of the call. The amounts of agents below count for this principal, whoever their own runs name. */
  readonly principal: Principal | undefined;
  /** True once usage may be recorded, false if it never may. */
  readonly turn: () => Promise<boolean> | true;
}

/** A budget that was opened. */
interface Opened {
  readonly isOpen: () => boolean;
  /** Undefined for a request of the memory: its usage is recorded at once. */
  readonly call: OpenedFor | undefined;
}

/** The open reservations of one run: in its own limits, and in the budget above. */
export class Purse {
  readonly #owner: PurseOwner;
  /** The budget of the run around this run; undefined if there is no such run. */
  readonly #above: Budget | undefined;
  /** The sum of the open reservations in the budgets that this purse opened. */
  #reserved: Spent = nothingSpent;
  /** The reservation of the run's own next request in the budget above, if there is one. */
  #next: Reservation | undefined;

  constructor(owner: PurseOwner, above: Budget | undefined) {
    this.#owner = owner;
    this.#above = above;
  }

  /**
   * Reserves the run's own next request in the budget above. Returns the limit that forbids the request, or undefined. The run's own
   * limits are not checked here, because `conclude` checks them.
   */
  async reserveNext(next: Spent, key: string): Promise<LimitReached | undefined> {
    this.dropNext();
    const answer = await this.#above?.reserve(next, key, this.#owner.state().principal);
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

  /** Releases the reservation of the run's own request, if there is one. Called if the request got no reply. */
  dropNext(): void {
    this.#next?.release();
    this.#next = undefined;
  }

  /** Opens a budget for one tool call, or without a call for one request of the memory. */
  open(call?: OpenedFor): OpenBudget {
    let isOpen = true;
    return {
      reserve: (next, key) => (isOpen ? this.#reserve(next, key, { isOpen: () => isOpen, call }) : callHasEnded),
      close: () => {
        isOpen = false;
      },
    };
  }

  #reserve(next: Spent, key: string | undefined, opened: Opened): ReserveAnswer | Promise<ReserveAnswer> {
    const state = this.#owner.state();
    const limits = this.#owner.limits();
    const reached = limitReached({ ...state, spent: addSpent(state.spent, this.#reserved) }, limits, next);
    if (reached !== undefined) return { ...reached, message: `of the run around this one, ${reached.message}` };
    // Before the budget above answers, so that other calls that ask meanwhile know the reservation.
    this.#reserved = addSpent(this.#reserved, next);
    const unreserve = (): void => {
      const { iterations, tokens, cost } = next;
      this.#reserved = addSpent(this.#reserved, { iterations: -iterations, tokens: -tokens, cost: -cost });
    };
    const take = (above: ReserveAnswer | undefined): ReserveAnswer => {
      if (above === undefined || isReservation(above)) return this.#reservation(above, unreserve, opened);
      unreserve();
      return above;
    };
    const { call } = opened;
    const above = this.#above?.reserve(next, key, call === undefined ? state.principal : call.principal);
    if (!(above instanceof Promise)) return take(above);
    return above.then(take, (thrown: unknown) => {
      unreserve();
      throw thrown;
    });
  }

  #reservation(above: Reservation | undefined, unreserve: () => void, { isOpen, call }: Opened): Reservation {
    return {
      release: () => {
        unreserve();
        above?.release();
      },
      settle: async (spent) => {
        const hasCome = call === undefined || (await call.turn());
        try {
          // A call that was discarded is in no reply, so it has no place in the journal either.
          if (isOpen() && hasCome) await this.#owner.charge(spent, call?.callId);
        } finally {
          // Not before the record: other calls that ask meanwhile would not know the reservation.
          unreserve();
        }
        await above?.settle(spent);
      },
    };
  }
}

/** The answer of a closed budget. The reason is `timeout`, because no limit reason stands for a call that has ended. */
const callHasEnded: LimitReached = {
  reason: "timeout",
  message: "the call that started this run has ended",
  canClose: false,
};
