// Attachments that a server refuses: finds out which, takes them out of the prompt, and tells the model in words what it does not see.

import type { Attachment, Message, ModelEvent, ModelRequest } from "../core/index.js";
import { describeAttachment, escapeRoles, explain, headOf } from "../core/internal.js";

/** The attachments that one server refuses, as far as this model has found out. */
export interface RefusedAttachments {
  /** The request with words in place of each attachment that is taken out. The same request if none is. */
  without(request: ModelRequest): ModelRequest;
  /** Notes that the server took the request: what is left out of it is the cause of the refusals before. */
  taken(request: ModelRequest): void;
  /**
   * The events to yield before the request is sent again, with other attachments left out. Undefined if the refusal is not about
   * attachments, or if the server refuses the request without any too. It asks for at most five more requests.
   */
  refused(thrown: unknown, request: ModelRequest): readonly ModelEvent[] | undefined;
}

/** Words of servers about files: "image input is not supported", "unknown variant `image_url`", "media exceeds size limit". */
const aboutFiles =
  /image|picture|photo|pixel|vision|media|multi-?modal|mmproj|attachment|file_data|input_file|\b(?:files?|pdfs?|documents?)\b|content.{0,60}\b(?:string|parts?|type)\b/i;
/** The model takes no such file at all. */
const aboutModel =
  /not support|unsupported (?:content|part|input|functionality)|n[o']t (?:accept|take|allow)|unknown variant|mmproj|must be a string|text[- ]only|no endpoints?|not a? ?(?:vision|multi-?modal)/i;
/** A format is refused, not every file. */
const aboutFormat = /format|corrupt|decod|could not process|invalid (?:image|base64|file|pdf)|mime/i;
const aboutSize = /large|big|exceed|size|dimension|pixel|resolution|\b[km]i?b\b|megabyte/i;
const aboutNumber =
  /too many (?:image|file|media|attachment|picture|document)|(?:at most|up to|maximum(?: of)?) (?<most>\d+) (?:image|file|media|attachment|picture|document)/i;

/** The statuses with which servers refuse them. llama-server says 500. */
const statuses: ReadonlySet<unknown> = new Set([400, 404, 413, 415, 422, 500, 501]);

/** Attachments that are tried one by one before all are left out. */
const mostTried = 3;

/** The search for the attachment that makes a server refuse one request. */
interface Search {
  /** The files that each step leaves out. The last step leaves out all. */
  readonly steps: readonly (readonly Attachment[])[];
  /** The kinds that the server refuses if the first step helps; none if it refuses single files. */
  readonly kinds: ReadonlySet<string>;
  /** The reason of the server. */
  readonly why: string;
  at: number;
}

/** Makes the record of one server's refusals. `isRefusal` knows further refusals of files, which no words tell. */
export function refusedAttachments(isRefusal: (thrown: unknown) => boolean = () => false): RefusedAttachments {
  /** The reason of the server, by the digest of the attachment, or by the kind of file. */
  const refused = new Map<string, string>();
  const taken = new Set<string>();
  const searches = new WeakMap<ModelRequest, Search>();
  const shown = new WeakMap<Message, { readonly key: string; readonly message: Message }>();

  function reasonFor(request: ModelRequest, { digest, mediaType }: Attachment): string | undefined {
    const { steps = [], at = 0, why } = searches.get(request) ?? {};
    if (steps[at]?.some((one) => one.digest === digest) === true) return why;
    return refused.get(digest) ?? refused.get(kindOf(mediaType));
  }

  function show(request: ModelRequest, message: Message): Message {
    const files = attachmentsOf(message);
    if (message.role === "assistant" || files.length === 0) return message;
    const reasons = files.map((file) => reasonFor(request, file));
    if (reasons.every((reason) => reason === undefined)) return message;
    const key = JSON.stringify(reasons);
    const known = shown.get(message);
    if (known?.key === key) return known.message;
    const lines = files.flatMap((file, index) => toldInWords(file, reasons[index]));
    const attachments = files.filter((_file, index) => reasons[index] === undefined);
    const { attachments: _all, ...rest } = message;
    const text = [message.text, ...lines].filter((line) => line !== "").join("\n");
    const changed = { ...rest, text, ...(attachments.length > 0 && { attachments }) };
    shown.set(message, { key, message: changed });
    return changed;
  }

  const sentIn = (request: ModelRequest): readonly Attachment[] => {
    if (request.bytesOf === undefined) return [];
    const files = request.messages.flatMap(attachmentsOf).filter((file) => reasonFor(request, file) === undefined);
    return [...new Map(files.map((file) => [file.digest, file])).values()];
  };

  /** Begins a search. Undefined if the refusal is not about the attachments that were sent. */
  function begin(thrown: unknown, request: ModelRequest): Search | undefined {
    const sent = sentIn(request);
    const { status } = (thrown ?? {}) as { readonly status?: unknown };
    const words = explain(thrown);
    const isTooLarge = status === 413;
    const isAbout =
      isRefusal(thrown) || (isTooLarge ? areMost(sent, request) : statuses.has(status) && aboutFiles.test(words));
    if (sent.length === 0 || !isAbout) return undefined;
    const unknown = sent.filter(({ digest }) => !taken.has(digest));
    const suspects = isTooLarge || unknown.length === 0 ? sent : unknown;
    const isOfModel = isRefusal(thrown) || (aboutModel.test(words) && !aboutFormat.test(words));
    const kinds = new Set(isOfModel && suspects.length === sent.length ? kindsIn(words, suspects) : []);
    const steps = stepsFor(words, { sent, suspects, kinds, isTooLarge });
    return { steps, kinds, why: headOf(words.replaceAll(/\s+/g, " "), 200), at: -1 };
  }

  return {
    without(request) {
      if (refused.size === 0 && !searches.has(request)) return request;
      const messages = request.messages.map((message) => show(request, message));
      return messages.every((message, index) => message === request.messages[index])
        ? request
        : { ...request, messages };
    },
    taken(request) {
      const search = searches.get(request);
      for (const { digest } of sentIn(request)) taken.add(digest);
      searches.delete(request);
      if (search === undefined) return;
      if (search.at === 0) for (const kind of search.kinds) refused.set(kind, search.why);
      for (const { digest } of search.steps[search.at] ?? []) refused.set(digest, search.why);
    },
    refused(thrown, request) {
      const known = searches.get(request);
      const search = known ?? begin(thrown, request);
      if (search === undefined) return undefined;
      search.at += 1;
      searches.set(request, search);
      const step = search.steps[search.at];
      if (step === undefined) {
        searches.delete(request);
        return undefined;
      }
      const named = step.map((file) => describeAttachment(file)).join(", ");
      const reason = `the server refuses files, so these are told in words: ${named}. It says: ${search.why}`;
      return [
        { type: "request-adjusted", reason },
        { type: "prompt-rewrite", reason: "attachments" },
      ];
    },
  };
}

function attachmentsOf(message: Message): readonly Attachment[] {
  return message.role === "assistant" ? [] : (message.attachments ?? []);
}

/** The line for an attachment that is left out for this reason. The words of a server are words from outside. */
function toldInWords(file: Attachment, why: string | undefined): readonly string[] {
  if (why === undefined) return [];
  const reason = `you can't see it, because the model's server refuses it: ${escapeRoles(why)}`;
  return [describeAttachment(file, reason)];
}

/** True if the attachments are most of the request's body. */
function areMost(sent: readonly Attachment[], { messages }: ModelRequest): boolean {
  const bytes = sent.reduce((sum, { size }) => sum + (size * 4) / 3, 0);
  const characters = messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? 0 : message.text.length),
    0,
  );
  return bytes > characters;
}

function kindOf(mediaType: string): string {
  return mediaType.split("/", 1)[0] ?? "";
}

/** The kinds of files that the words name; all kinds of the suspects if they name none of these. */
function kindsIn(words: string, suspects: readonly Attachment[]): readonly string[] {
  const kinds = [...new Set(suspects.map(({ mediaType }) => kindOf(mediaType)))];
  const isNamed = (kind: string): boolean =>
    (kind === "image" ? /image|picture|photo|vision|mmproj/i : /pdf|document|file|application/i).test(words);
  const named = kinds.filter(isNamed);
  return named.length === 0 ? kinds : named;
}

interface Suspicion {
  readonly sent: readonly Attachment[];
  readonly suspects: readonly Attachment[];
  readonly kinds: ReadonlySet<string>;
  readonly isTooLarge: boolean;
}

/**
 * The steps of a search. If there are too many, the newest stay. If one is too large, the largest goes first, then the next largest too. Of
 * a file that can't be read, the newest are tried one by one.
 */
function stepsFor(words: string, { sent, suspects, kinds, isTooLarge }: Suspicion): Search["steps"] {
  const newest = suspects.toReversed();
  const most = aboutNumber.exec(words);
  const steps = [...first(), suspects, sent];
  return steps.filter(
    (step, at) =>
      step.length > 0 &&
      !steps.slice(0, at).some((before) => before.length === step.length && step.every((one) => before.includes(one))),
  );

  function first(): readonly (readonly Attachment[])[] {
    if (kinds.size > 0) return [suspects.filter(({ mediaType }) => kinds.has(kindOf(mediaType)))];
    if (most !== null) {
      const kept = Number(most.groups?.["most"] ?? sent.length / 2);
      return [sent.slice(0, Math.max(0, sent.length - Math.floor(kept))), sent.slice(0, -1)];
    }
    if (isTooLarge || aboutSize.test(words)) {
      const largest = suspects.toSorted((one, other) => other.size - one.size);
      return Array.from({ length: mostTried }, (_, at) => largest.slice(0, at + 1));
    }
    return newest.slice(0, mostTried).map((one) => [one]);
  }
}
