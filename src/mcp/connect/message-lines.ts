// Message lines: the output of a server, cut into messages of a bounded size.

/** Bytes of one message that are read. */
export const largestMessage: number = 16 * 1024 * 1024;

/** A line that was too long to keep. */
export interface OversizedLine {
  readonly bytes: number;
  /** The first and the last bytes of the line, for the id of the message. */
  readonly edges: string;
}

/** The receivers of lines. */
export interface LineReceivers {
  readonly line: (text: string) => void;
  /** Called when an oversized line has ended. */
  readonly oversized: (line: OversizedLine) => void;
  /** Called once if a line is so long that nothing should wait for its end. */
  readonly endless: (bytes: number) => void;
}

/** Bytes that are kept of either end of an oversized line. */
const edge = 200;

/** A line of this many times the bound is endless. */
const patience = 8;

/** Cuts bytes into lines. It never holds more than `most` bytes, whatever the server writes. */
export class MessageLines {
  readonly #receivers: LineReceivers;
  readonly #most: number;
  #pieces: Buffer[] = [];
  #length = 0;
  #head = "";
  #tail = "";
  #isOversized = false;

  constructor(receivers: LineReceivers, most: number = largestMessage) {
    this.#receivers = receivers;
    this.#most = most;
  }

  write(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      this.#take(bytes.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    this.#take(bytes.subarray(from));
  }

  #take(piece: Buffer): void {
    const before = this.#length;
    this.#length += piece.length;
    if (!this.#isOversized && this.#length <= this.#most) {
      if (piece.length > 0) this.#pieces.push(piece);
      return;
    }
    if (!this.#isOversized) {
      this.#isOversized = true;
      this.#head = Buffer.concat([...this.#pieces, piece])
        .subarray(0, edge)
        .toString("latin1");
      this.#pieces = [];
    }
    this.#tail = (this.#tail + piece.subarray(-edge).toString("latin1")).slice(-edge);
    const limit = this.#most * patience;
    if (before <= limit && this.#length > limit) this.#receivers.endless(this.#length);
  }

  #finish(): void {
    const [pieces, bytes, edges, isOversized] = [
      this.#pieces,
      this.#length,
      `${this.#head} ${this.#tail}`,
      this.#isOversized,
    ];
    this.#pieces = [];
    this.#length = 0;
    this.#head = "";
    this.#tail = "";
    this.#isOversized = false;
    if (isOversized) this.#receivers.oversized({ bytes, edges });
    else if (bytes > 0) this.#receivers.line(Buffer.concat(pieces).toString("utf8"));
  }
}
