// The part of node:string_decoder that the sources use.

/** Decodes UTF-8 that comes in pieces. */
export class StringDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  write(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }

  end(): string {
    return this.#decoder.decode();
  }
}
