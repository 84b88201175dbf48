// SHA-256 in pieces, for runtimes whose own digests come later.

/** The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first eight. */
const [rounds, start] = constants();

/** The hash of bytes that come in pieces. */
export class Sha256 {
  readonly #state = Uint32Array.from(start);
  readonly #block = new Uint8Array(64);
  readonly #words = new Uint32Array(64);
  #length = 0;

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const place = this.#length % 64;
      const piece = bytes.subarray(at, at + 64 - place);
      this.#block.set(piece, place);
      this.#length += piece.length;
      at += piece.length;
      if (this.#length % 64 === 0) this.#compress();
    }
  }

  /** The 32 bytes of the hash. Nothing may be added afterwards. */
  digest(): Uint8Array {
    const bits = this.#length * 8;
    const end = new Uint8Array(((119 - (this.#length % 64)) % 64) + 9);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits >>> 0);
    this.update(end);
    const hash = new DataView(new ArrayBuffer(32));
    this.#state.forEach((word, index) => {
      hash.setUint32(4 * index, word);
    });
    return new Uint8Array(hash.buffer);
  }

  #compress(): void {
    const words = this.#words;
    const view = new DataView(this.#block.buffer);
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [old, last] = [words[at - 15] ?? 0, words[at - 2] ?? 0];
      const low = turned(old, 7) ^ turned(old, 18) ^ (old >>> 3);
      const high = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10);
      words[at] = (words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high;
    }
    // The eight numbers of the state move one place up in each round: two of them get something new, too.
    const state = this.#state;
    let a = state[0] ?? 0;
    let b = state[1] ?? 0;
    let c = state[2] ?? 0;
    let d = state[3] ?? 0;
    let e = state[4] ?? 0;
    let f = state[5] ?? 0;
    let g = state[6] ?? 0;
    let h = state[7] ?? 0;
    for (let at = 0; at < 64; at += 1) {
      const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const one = (h + mixed + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (words[at] ?? 0)) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    state[0] = (state[0] ?? 0) + a;
    state[1] = (state[1] ?? 0) + b;
    state[2] = (state[2] ?? 0) + c;
    state[3] = (state[3] ?? 0) + d;
    state[4] = (state[4] ?? 0) + e;
    state[5] = (state[5] ?? 0) + f;
    state[6] = (state[6] ?? 0) + g;
    state[7] = (state[7] ?? 0) + h;
  }
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function constants(): readonly [rounds: Uint32Array, start: Uint32Array] {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
  return [
    Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  ];
}
