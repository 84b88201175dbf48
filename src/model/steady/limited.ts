// Bounds the requests that are at work at once, and adapts the bound to a provider that is busy.

import type { Model, ModelEvent, ModelRequest, WrittenReply } from "../../core/index.js";
import { checkOptions, unlessAborted, wholeNumber, type OptionKinds } from "../../core/internal.js";

/** The options of `limited`. */
export interface LimitedOptions {
  /** The most requests at once, over all models that were given. Default 4. */
  readonly concurrent?: number | undefined;
}

/**
 * Makes models that share a bound on their requests at once; a request over the bound waits. The bound halves, down to 1, when a provider
 * is busy: at a `request-retry`, and at a fault `provider_unavailable`. It grows by 1 after as many replies in a row as the bound is, up to
 * `concurrent`.
 *
 * @example
 * ```ts
 * const [large, small] = limited([openai({ model: "large" }), openai({ model: "small" })], { concurrent: 8 });
 * ```
 * @throws LastcallError `configuration` if `concurrent` is not a whole number of at least 1.
 */
export function limited<const Models extends readonly Model[]>(
  models: Models,
  options: LimitedOptions = {},
): { readonly [Index in keyof Models]: Model } {
  checkOptions("limited", options, { concurrent: "number" } satisfies OptionKinds<LimitedOptions>);
  const places = new Places(wholeNumber("limited.concurrent", options.concurrent ?? 4));
  return models.map((model) => limitedBy(model, places)) as { readonly [Index in keyof Models]: Model };
}

function limitedBy(model: Model, places: Places): Model {
  const { name, models, provider, attachments } = model;
  async function* respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    await places.enter(signal);
    let isBusy = false;
    const asked = model.respond(request, signal);
    try {
      for (;;) {
        const next = await asked.next();
        if (next.done === true) {
          if (!isBusy) places.answered();
          return next.value;
        }
        if (next.value.type === "request-retry") {
          isBusy = true;
          places.busy();
        }
        yield next.value;
      }
    } catch (thrown) {
      if (!isBusy && (thrown as { readonly code?: unknown }).code === "provider_unavailable") places.busy();
      throw thrown;
    } finally {
      // Returning a generator that has ended changes nothing.
      await asked.return(undefined as never);
      places.leave();
    }
  }
  return {
    name,
    ...(models !== undefined && { models }),
    provider,
    ...(attachments !== undefined && { attachments }),
    respond,
  };
}

/** The places of requests at work, and the requests that wait for one, in order. */
class Places {
  readonly #most: number;
  #bound: number;
  #taken = 0;
  #replies = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#bound = most;
  }

  /** Waits for a place. @throws the signal's reason if it aborts first. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#bound) {
      this.#taken += 1;
      return;
    }
    let enter = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    this.#waiting.push(enter);
    try {
      await unlessAborted(entered, signal);
    } catch (thrown) {
      const isWaiting = this.#waiting.includes(enter);
      this.#waiting = this.#waiting.filter((one) => one !== enter);
      // The place was given at the moment of the abort.
      if (!isWaiting) this.leave();
      throw thrown;
    }
  }

  leave(): void {
    this.#taken -= 1;
    this.#admit();
  }

  busy(): void {
    this.#bound = Math.max(1, Math.floor(this.#bound / 2));
    this.#replies = 0;
  }

  answered(): void {
    this.#replies += 1;
    if (this.#replies < this.#bound || this.#bound === this.#most) return;
    this.#bound += 1;
    this.#replies = 0;
    this.#admit();
  }

  #admit(): void {
    while (this.#taken < this.#bound) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#taken += 1;
      next();
    }
  }
}
