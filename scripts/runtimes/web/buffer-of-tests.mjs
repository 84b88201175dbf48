// The parts of Node's Buffer that tests use to make and compare bytes, and no source does.

import { Buffer } from "../../../src/web/buffer.ts";

for (const bits of [16, 32])
  for (const order of ["BE", "LE"])
    Buffer.prototype[`writeUInt${bits}${order}`] = function (value, at = 0) {
      new DataView(this.buffer, this.byteOffset)[`setUint${bits}`](at, value, order === "LE");
      return at + bits / 8;
    };

const { from, alloc } = Buffer;

Buffer.from = (value, ...given) =>
  given[0] === "latin1"
    ? from.call(
        Buffer,
        Array.from(value, (character) => character.charCodeAt(0)),
      )
    : from.call(Buffer, value, ...given);
Buffer.alloc = (length, fill = 0) =>
  alloc.call(Buffer, length).fill(typeof fill === "string" ? fill.charCodeAt(0) : fill);
Buffer.prototype.equals = function (other) {
  return this.length === other.length && this.every((byte, index) => byte === other[index]);
};
