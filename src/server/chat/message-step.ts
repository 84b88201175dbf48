// The step of a message: the parts since its start, which version 7 of the page can take back together.

import type { ChatChunk } from "./ui-chunk.js";

/** The steps of one message, of which the last can be written again. */
export class MessageStep {
  readonly #tell: (chunk: ChatChunk) => void;
  #number = 0;
  #isOpen = false;
  #isConfirmed = false;
  /** The chunks that make the parts of the last step. */
  #chunks: ChatChunk[] = [];

  constructor(tell: (chunk: ChatChunk) => void) {
    this.#tell = tell;
  }

  /** The number of the last step, from 1. */
  get number(): number {
    return this.#number;
  }

  /** True if the step began with a reply that is not whole yet. */
  get isUnconfirmed(): boolean {
    return this.#isOpen && !this.#isConfirmed;
  }

  /** The id of the words at this place of the step. */
  idOf(place: number): string {
    return `${String(this.#number)}.${String(place)}`;
  }

  /** Another message begins. */
  restart(): void {
    this.#number = 0;
    this.#isOpen = false;
    this.#chunks = [];
  }

  /** Begins a step, unless one is open. */
  open(): void {
    if (this.#isOpen) return;
    this.#number += 1;
    this.#isOpen = true;
    this.#isConfirmed = false;
    this.#chunks = [];
    this.#tell({ type: "start-step" });
  }

  /** The reply of the step is whole. A step that began with its pieces is the same step. */
  confirm(): void {
    if (!this.isUnconfirmed) this.close();
    this.open();
    this.#isConfirmed = true;
  }

  close(): void {
    if (this.#isOpen) this.#tell({ type: "finish-step" });
    this.#isOpen = false;
  }

  /** Tells a chunk that is no part, or of which the step has a better form. */
  tell(chunk: ChatChunk): void {
    this.#tell(chunk);
  }

  /** Tells a chunk that makes a part. */
  add(chunk: ChatChunk): void {
    this.#chunks.push(chunk);
    this.#tell(chunk);
  }

  /** The parts of the reply. `rest` completes the parts that are shown; undefined if they are something else, and have to go. */
  settle(whole: readonly ChatChunk[], rest: readonly ChatChunk[] | undefined): void {
    this.#chunks = [...whole];
    if (rest === undefined) this.#tell({ type: "reset-step" });
    for (const chunk of rest ?? whole) this.#tell(chunk);
  }

  /** Takes the words at this place back: the other parts of the step are told again. */
  takeBack(place: number): void {
    const id = this.idOf(place);
    this.#chunks = this.#chunks.filter((chunk) => !("id" in chunk && chunk.id === id));
    this.#tell({ type: "reset-step" });
    for (const chunk of this.#chunks) this.#tell(chunk);
  }
}
