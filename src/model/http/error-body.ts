// Reads the error in a provider's answer, whatever the shape of the body is.

import { explain, isPlainObject, headOf } from "../../core/internal.js";

/** The error of a provider: its own keys, and a message for people. */
export type ErrorBody = Readonly<Record<string, unknown>> & { readonly message: string };

/** The longest message that is kept, in characters. */
const maxCharacters = 2000;

/**
 * The error in the parsed body of an answer, or in its text if the body is not JSON. Servers put the words under `error`, `message` or
 * `detail`, as a text or as a list, or send a page of HTML.
 */
export function errorIn(body: unknown): ErrorBody {
  if (typeof body === "string") return { message: plainText(body) };
  // Google answers with a list that holds one object.
  if (Array.isArray(body) && body.length > 0) return errorIn(body[0]);
  if (!isPlainObject(body)) return { message: explain(body) };
  const { error, ...rest } = body;
  if (isPlainObject(error)) return { ...rest, ...error, message: wordsOf(error) };
  if (typeof error === "string" && error !== "") return { ...rest, message: plainText(error) };
  return { ...body, message: wordsOf(body) };
}

function wordsOf(error: Readonly<Record<string, unknown>>): string {
  const { message, detail, metadata } = error;
  const words = [message, detail].map(textOf).find((text) => text !== "") ?? JSON.stringify(error);
  // A router passes the words of the provider behind it on as `raw`.
  const raw = isPlainObject(metadata) && typeof metadata["raw"] === "string" ? `: ${metadata["raw"]}` : "";
  return plainText(words + raw);
}

/** The words in a message: a text, or a list of problems, each with its place. */
function textOf(words: unknown): string {
  if (typeof words === "string") return words;
  if (isPlainObject(words)) return JSON.stringify(words);
  if (!Array.isArray(words)) return "";
  return words
    .filter(isPlainObject)
    .map(({ msg, loc }) =>
      [Array.isArray(loc) ? loc.join(".") : "", textOf(msg)].filter((part) => part !== "").join(": "),
    )
    .join("; ");
}

/** The text of a page of HTML without its tags. Any other text is only shortened. */
function plainText(text: string): string {
  const read = text.slice(0, 10 * maxCharacters);
  if (!/<(?:!doctype|html|head|body)\b/i.test(read)) return headOf(read, maxCharacters);
  const words = read.replaceAll(/<style[^<]*<\/style>|<script[^<]*<\/script>|<[^<>]*>/gi, " ").replaceAll(/\s+/g, " ");
  return headOf(words.trim(), 300);
}
