// Content: the result of a call, as text for the model. Bytes become one line each, and files that models take are kept besides.

import type { NewAttachment } from "../../core/index.js";
import { isPlainObject, recognize, toJson, wholeAt } from "../../core/internal.js";
import { foreignLine } from "./foreign-text.js";

/** The result of a call of a server's tool. */
export interface ReadResult {
  readonly text: string;
  /** Pictures, PDFs and sounds, for models that take them. The text has a line for each. */
  readonly files: readonly NewAttachment[];
  /** True if the server says that the call failed. */
  readonly isError: boolean;
}

/** Characters of one result that are kept. The whole of a longer result is nowhere: the server has to be asked for less. */
const longestResult = 200_000;

/** The number of parts of one result that are read, and of files that the model may see. */
const [mostParts, mostFiles] = [1000, 10];

/**
 * Reads the result of a call. A part that can't be read is a line that says so, and the other parts stay.
 * @throws Error that says what is wrong if the result breaks the protocol.
 */
export function readResult(result: unknown): ReadResult {
  if (!isPlainObject(result)) throw new Error("The server's answer is no result of a tool.");
  const { content, structuredContent, isError } = result;
  const isMissing = content === undefined || content === null;
  if (!isMissing && !Array.isArray(content)) {
    const given = foreignLine(toJson(content) ?? "", 300);
    throw new Error(`The server's answer is no result of a tool: its content is no list of parts, but ${given}`);
  }
  const given = isMissing ? [] : (content as readonly unknown[]);
  const parts = given.slice(0, mostParts).map(readPart);
  const lines = parts.map(({ text }) => text);
  if (given.length > mostParts) lines.push(`[${String(given.length - mostParts)} more parts are left out]`);
  const words = lines.join("\n");
  const hasStructure = structuredContent !== undefined && structuredContent !== null;
  const whole = words === "" && hasStructure ? (toJson(structuredContent) ?? "") : words;
  return {
    text: whole === "" ? "The call ended without any words." : bounded(whole),
    files: parts.flatMap(({ file }) => (file === undefined ? [] : [file])).slice(0, mostFiles),
    isError: isError === true,
  };
}

function bounded(text: string): string {
  if (text.length <= longestResult) return text;
  const end = wholeAt(text, longestResult);
  return `${text.slice(0, end)}\n[... ${String(text.length - end)} of ${String(text.length)} characters are left out and were not kept; ask for less at a time ...]`;
}

/** A part of a result: its words, and its file if models may take it. */
interface ReadPart {
  readonly text: string;
  readonly file?: NewAttachment;
}

function readPart(part: unknown): ReadPart {
  if (!isPlainObject(part)) return { text: "[a part that can't be read]" };
  const { type, text, data, mimeType, resource } = part;
  if (type === "text") return { text: typeof text === "string" ? text : "[a text that can't be read]" };
  if (type === "image" || type === "audio") return readBytes(mimeType ?? type, data);
  if (type === "resource" && isPlainObject(resource)) return readResource(resource);
  if (type === "resource_link") return { text: linkText(part) };
  return { text: `[a part of the kind ${line(type)}]` };
}

function readResource({ uri, mimeType, text, blob }: Readonly<Record<string, unknown>>): ReadPart {
  if (typeof text === "string") return { text: `[${line(uri)}]\n${text}` };
  const words = wordsIn(mimeType, blob);
  if (words !== undefined) return { text: `[${line(uri)}]\n${words}` };
  const { text: about, file } = readBytes(mimeType, blob);
  const name = typeof uri === "string" ? foreignLine(uri.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "", 100) : "";
  return { text: `${about} ${line(uri)}`, ...(file && { file: { ...file, ...(name !== "" && { name }) } }) };
}

/** The words of a text that a server sent as bytes; undefined if it is no text. */
function wordsIn(kind: unknown, blob: unknown): string | undefined {
  if (typeof kind !== "string" || !/^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i.test(kind))
    return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(decoded(blob));
  } catch {
    return undefined;
  }
}

function linkText({ uri, name, description }: Readonly<Record<string, unknown>>): string {
  const about = typeof description === "string" ? `: ${foreignLine(description, 300)}` : "";
  return `[a link to ${line(name)}, ${line(uri)}${about}]`;
}

/** `[image/png, 12,345 bytes]`, and the file. */
function readBytes(kind: unknown, data: unknown): ReadPart {
  const bytes = decoded(data);
  if (bytes === undefined) return { text: `[${line(kind)} that can't be read: its data is no base64]` };
  const mediaType = mediaTypeOf(kind, bytes);
  return {
    text: `[${line(kind)}, ${bytes.length.toLocaleString("en-US")} bytes]`,
    ...(mediaType !== undefined && { file: { bytes, mediaType } }),
  };
}

/** The type of a file that models take: a picture or a PDF by its first bytes, whatever the server calls it, and a sound by its name. */
function mediaTypeOf(kind: unknown, bytes: Uint8Array): string | undefined {
  const known = recognize(bytes)?.mediaType;
  if (known !== undefined) return known;
  const [sound] = typeof kind === "string" ? (/^audio\/[\w.+-]+/i.exec(kind) ?? []) : [];
  return bytes.length === 0 ? undefined : sound?.toLowerCase();
}

/** The bytes of a base64 text, with line breaks, in the alphabet of addresses or behind the head of a data address too. */
function decoded(data: unknown): Uint8Array | undefined {
  if (typeof data !== "string") return undefined;
  const bare = data
    .replace(/^data:[^,]{0,200};base64,/, "")
    .replaceAll(/\s+/g, "")
    .replace(/={1,2}$/, "");
  return /^[A-Za-z0-9+/_-]*$/.test(bare) && bare.length % 4 !== 1 ? Buffer.from(bare, "base64") : undefined;
}

function line(value: unknown): string {
  return typeof value === "string" ? foreignLine(value, 300) : "something unnamed";
}
