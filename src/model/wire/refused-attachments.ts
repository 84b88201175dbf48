// Attachments that a server refuses: told in words from then on, unless they came from the user.

import { LastcallError, type Message } from "../../core/index.js";
import { describeAttachment, explain } from "../../core/internal.js";

/** Words of servers about parts that they can't read: "image input is not supported", "unknown variant `image_url`", and the like. */
const about =
  /image|vision|multi-?modal|mmproj|file_data|input_file|\bfiles?\b|content.{0,60}\b(?:string|parts?|type)\b/i;

/** The statuses with which servers refuse them. llama-server says 500. */
const statuses: ReadonlySet<unknown> = new Set([400, 404, 415, 422, 500, 501]);

/** True if the provider refuses a request because of the files that go with its messages. */
export function refusesAttachments(thrown: unknown, messages: readonly Message[]): boolean {
  const { status } = (thrown ?? {}) as { readonly status?: unknown };
  const hasSome = messages.some((message) => message.role !== "assistant" && (message.attachments ?? []).length > 0);
  return hasSome && statuses.has(status) && about.test(explain(thrown));
}

/**
 * Checks that no message of the user has a file: a model that answers as if it had seen one would mislead.
 * @throws LastcallError `provider_rejected` that names the files.
 */
export function expectNoneOfUser(thrown: unknown, messages: readonly Message[], model: string): void {
  const files = messages.flatMap((message) => (message.role === "user" ? (message.attachments ?? []) : []));
  if (files.length === 0) return;
  const named = files.map((file) => describeAttachment(file)).join(", ");
  const message = `${model} does not take the files of the input, ${named}: choose a model that does, or put their text into the input. The server says: ${explain(thrown)}`;
  throw new LastcallError("provider_rejected", message, { cause: thrown });
}
