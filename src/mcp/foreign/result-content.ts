// Content: the result of a call, as text for the model. Bytes become one line each, with their kind and size; images are kept besides.

import { isPlainObject, toJson, wholeAt } from "../../core/internal.js";
import { foreignLine } from "./foreign-text.js";

/** The result of a call of a server's tool. */
export interface ReadResult {
  readonly text: string;
  /** The images, for models that take them. The text has a line for each. */
  readonly images: readonly Uint8Array[];
  /** True if the server says that the call failed. */
  readonly isError: boolean;
}

/** Characters of one result that are kept. The whole of a longer result is nowhere: the server has to be asked for less. */
const longestResult = 200_000;

/** The number of parts of one result that are read, and of images that the model may see. */
const [mostParts, mostImages] = [1000, 10];

/**
 * Reads the result of a call.
 * @throws Error that says what is wrong if the result breaks the protocol, or if its bytes can't be decoded.
 */
export function readResult(result: unknown): ReadResult {
  if (!isPlainObject(result)) throw new Error("The server's answer is no result of a tool.");
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const lines = parts.slice(0, mostParts).map(partText);
  if (parts.length > mostParts) lines.push(`[${String(parts.length - mostParts)} more parts are left out]`);
  const words = lines.join("\n");
  const whole = words === "" && structuredContent !== undefined ? (toJson(structuredContent) ?? "") : words;
  const text = whole === "" ? "The call ended without any words." : bounded(whole);
  return {
    text,
    images: parts.slice(0, mostParts).flatMap(imageBytes).slice(0, mostImages),
    isError: isError === true,
  };
}

function bounded(text: string): string {
  if (text.length <= longestResult) return text;
  const end = wholeAt(text, longestResult);
  return `${text.slice(0, end)}\n[... ${String(text.length - end)} of ${String(text.length)} characters are left out and were not kept; ask for less at a time ...]`;
}

function partText(part: unknown): string {
  if (!isPlainObject(part)) return "[a part that can't be read]";
  const { type, text, data, resource } = part;
  if (type === "text") return typeof text === "string" ? text : "[a text that can't be read]";
  if (type === "image" || type === "audio") return bytesText(part["mimeType"], data);
  if (type === "resource" && isPlainObject(resource)) return resourceText(resource);
  if (type === "resource_link") return linkText(part);
  return `[a part of the kind ${line(type)}]`;
}

/** The bytes of an image that models take: PNG, JPEG, GIF or WebP by its first bytes, whatever the server calls it. */
function imageBytes(part: unknown): readonly Uint8Array[] {
  if (!isPlainObject(part) || part["type"] !== "image" || typeof part["data"] !== "string") return [];
  const bytes = Buffer.from(part["data"], "base64");
  const head = bytes.subarray(0, 12).toString("latin1");
  return /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP)/s.test(head) ? [bytes] : [];
}

function resourceText({ uri, mimeType, text, blob }: Readonly<Record<string, unknown>>): string {
  if (typeof text === "string") return `[${line(uri)}]\n${text}`;
  return `${bytesText(mimeType, blob)} ${line(uri)}`;
}

function linkText({ uri, name, description }: Readonly<Record<string, unknown>>): string {
  const about = typeof description === "string" ? `: ${foreignLine(description, 300)}` : "";
  return `[a link to ${line(name)}, ${line(uri)}${about}]`;
}

/** `[image/png, 12,345 bytes]`. */
function bytesText(kind: unknown, data: unknown): string {
  const size = typeof data === "string" ? decodedSize(data) : undefined;
  if (size === undefined) {
    throw new Error(`The server sent ${line(kind)} whose data is no base64, so its result can't be read.`);
  }
  return `[${line(kind)}, ${size.toLocaleString("en-US")} bytes]`;
}

/** The number of bytes in a base64 text; undefined if it is none. */
function decodedSize(data: string): number | undefined {
  const bare = data.replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(bare) || bare.length % 4 === 1) return undefined;
  return Math.floor((bare.length * 3) / 4);
}

function line(value: unknown): string {
  return typeof value === "string" ? foreignLine(value, 300) : "something unnamed";
}
