// Reads a file that is to be attached: checks it, tells its media type, and makes the attachment that records name.

import type { Attachment, NewAttachment } from "../data/attachment.js";
import { LastcallError } from "../data/fault.js";
import { recognize, type Recognized } from "./media-type.js";

/** The most bytes of one attachment: more than any provider takes in a request. */
export const maxAttachment: number = 32 * 1024 * 1024;

/** The tokens of an image whose dimensions are not known, and the most of one: providers scale larger images down. */
const maxImageTokens = 1600;
/** The pixels of an image that take one token. Source: Anthropic's guide to vision. OpenAI's count is near it. */
const pixelsPerToken = 750;
/** The tokens of a page of a PDF, which providers read as a text and as an image. Source: Anthropic's guide to PDFs (1,500 to 3,000). */
const pageTokens = 2500;
/** The bytes of a page of a PDF whose pages can't be counted, because they are compressed. */
const pageBytes = 50_000;
const bytesPerToken = 3;

/**
 * Checks a file that is to be attached, and tells its media type. An attachment that the session keeps was checked before.
 * @throws LastcallError `configuration` if it is no bytes, empty, too large, or of a type that has to be given.
 */
export function checkAttachment(file: NewAttachment | Attachment): { readonly mediaType: string } {
  if ("digest" in file) return file;
  const { bytes, mediaType, name } = file;
  const which = name === undefined ? "The attachment" : `The attachment ${name}`;
  const refuse = (problem: string): LastcallError => new LastcallError("configuration", `${which} ${problem}.`);
  if (!((bytes as unknown) instanceof Uint8Array)) throw refuse("has no bytes: give a Uint8Array, such as a Buffer");
  if (bytes.length === 0) throw refuse("is empty");
  if (bytes.length > maxAttachment)
    throw refuse(`has ${String(bytes.length)} bytes, and at most ${String(maxAttachment)} are taken`);
  const known = mediaType ?? recognize(bytes)?.mediaType;
  if (known === undefined) {
    throw refuse("is no PNG, JPEG, GIF, WebP or PDF: give its mediaType, or put a text file into the text");
  }
  if (!/^[a-z]+\/[\w.+-]+$/i.test(known)) throw refuse(`has the mediaType ${JSON.stringify(known)}, which is none`);
  return { mediaType: known.toLowerCase() };
}

/**
 * Makes the attachment that records name.
 * @throws LastcallError `configuration` as `checkAttachment` does.
 */
export async function readAttachment(given: NewAttachment): Promise<Attachment> {
  const { mediaType } = checkAttachment(given);
  const { bytes, name } = given;
  const digest = await digestOf(bytes);
  const size = bytes.length;
  return { mediaType, digest, size, tokens: tokensIn(bytes, mediaType), ...(name !== undefined && { name }) };
}

/** SHA-256 of the bytes, in hexadecimal. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  // A copy, because browsers make no digest of bytes that threads may share.
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function tokensIn(bytes: Uint8Array, mediaType: string): number {
  if (mediaType.startsWith("image/")) return imageTokens(recognize(bytes));
  if (mediaType === "application/pdf") return pageTokens * pagesIn(bytes);
  return Math.ceil(bytes.length / bytesPerToken);
}

function imageTokens({ width, height }: Partial<Recognized> = {}): number {
  if (width === undefined || height === undefined) return maxImageTokens;
  return Math.min(maxImageTokens, Math.max(1, Math.ceil((width * height) / pixelsPerToken)));
}

/** The number of pages of a PDF: the pages that it names in plain text, or an estimate by its size. */
function pagesIn(bytes: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(bytes);
  const named = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  return named > 0 ? named : Math.ceil(bytes.length / pageBytes);
}
