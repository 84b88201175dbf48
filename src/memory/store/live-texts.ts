// Texts for watchers of a session in this process.

import { onAbort } from "../../core/internal.js";
import type { LiveSender, LiveTexts } from "./store.js";

/** Passes texts on within this process. */
export class TextsHere implements LiveTexts {
  readonly #listeners = new Map<string, Set<(text: string) => void>>();

  /** True if somebody in this process hears the session. */
  isHeard(id: string): boolean {
    return this.#listeners.has(id);
  }

  tell(id: string, text: string): void {
    for (const listener of this.#listeners.get(id) ?? []) listener(text);
  }

  sender(id: string): LiveSender {
    const isHeard = (): boolean => this.isHeard(id);
    return {
      get isHeard() {
        return isHeard();
      },
      send: (text) => {
        this.tell(id, text);
      },
      close: () => undefined,
    };
  }

  hear(id: string, onText: (text: string) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    // The same function may hear twice.
    const listener = (text: string): void => {
      onText(text);
    };
    this.#listeners.set(id, (this.#listeners.get(id) ?? new Set()).add(listener));
    const leave = (): void => {
      const listeners = this.#listeners.get(id);
      listeners?.delete(listener);
      if (listeners?.size === 0) this.#listeners.delete(id);
    };
    onAbort(signal, leave);
  }
}
