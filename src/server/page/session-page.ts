// A session as one page: the studio over records that stand in the page, redacted anew. No request leaves it.

import {
  LastcallError,
  redactor,
  type JournalRecord,
  type JsonObject,
  type Redactor,
  type SecretOptions,
} from "../../core/index.js";
import { atCaller, checkOptions, isPlainObject, needed, portKinds, type OptionKinds } from "../../core/internal.js";
import { attachmentsIn, packed, packedElement, readStored, type PackedSession } from "../../memory/stores.js";
import type { Store } from "../../memory/index.js";
import { summaryIn } from "../hub/session-summary.js";
import { studioText, withoutFiles } from "./studio-text.js";

/** The options of `sessionPage`. */
export interface SessionPageOptions {
  readonly store: Store;
  /** The id of the session. */
  readonly id: string;
  /** The secrets to leave out besides the known formats. Default: none. */
  readonly secrets?: SecretOptions | undefined;
}

const pageOptions = {
  store: needed(portKinds.store),
  id: needed("text"),
  secrets: "object",
} satisfies OptionKinds<SessionPageOptions>;

/**
 * Makes a page of a session, with the sessions of the agents that its calls ran: one HTML file for a browser, also from a disk and
 * without a network. Every text is redacted, also the words of people and of the model. The bytes of attachments, the
 * options that the host keeps with the session and the changes in its workspace are left out. `importSession` reads it.
 * @throws LastcallError `configuration` if there is no such session, if it is too long for one file, or if the files of the studio are
 * not beside this program; `store` if it can't be read.
 */
export async function sessionPage(options: SessionPageOptions): Promise<string> {
  const secrets = atCaller(sessionPage, () => {
    checkOptions("sessionPage", options, pageOptions);
    return redactor(options.secrets);
  });
  const { store, id } = options;
  const [script, style] = await Promise.all([fileOf("page.js"), fileOf("app.css")]);
  const data = await packed(piecesOf(await allOf(store, id), { id, secrets }));
  const policy = [
    "default-src 'none'",
    `script-src '${await digestOf(script)}'`,
    `style-src '${await digestOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const [begin, end] = packedElement;
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
    `<title>${escaped(secrets.text(id))}: a session of lastcall</title><style>${style}</style></head>`,
    `<body><div id="root"><p class="empty">Opening …</p></div>`,
    `<noscript><p class="empty">This page needs its script, which is in it.</p></noscript>`,
    `${begin}${data}${end}`,
    `<script type="module">${script}${end}</body></html>\n`,
  ].join("\n");
}

/** @throws LastcallError `configuration` if the file is not beside this program. */
async function fileOf(name: string): Promise<string> {
  const bytes = await studioText(name);
  if (bytes === undefined) throw new LastcallError("configuration", withoutFiles);
  return new TextDecoder().decode(bytes);
}

/** The digest by which the page's policy allows the script or the style in the page. */
async function digestOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** The text without the characters that HTML reads as its own. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

type Sessions = ReadonlyMap<string, readonly JournalRecord[]>;

/**
 * The records of a session, and of the agents below it.
 * @throws LastcallError `configuration` if there is no such session.
 */
async function allOf(store: Store, id: string): Promise<Sessions> {
  const found = new Map<string, readonly JournalRecord[]>();
  const read = async (one: string): Promise<void> => {
    const { records } = await readStored(store, one);
    if (records.length === 0) return;
    found.set(one, records);
    for (const record of records) if (record.type === "child" && !found.has(record.callId)) await read(record.callId);
  };
  await read(id);
  if (found.size === 0)
    throw new LastcallError("configuration", `There is no session ${id} with anything to show (${store.name}).`);
  return found;
}

/** Milliseconds of work after which other work of the process has its turn. */
const longestTurn = 20;

interface Page {
  readonly id: string;
  readonly secrets: Redactor;
}

/** The JSON of the packed session in pieces, because one text may be too short for a long session. */
async function* piecesOf(all: Sessions, { id, secrets }: Page): AsyncGenerator<string, void, void> {
  const clear = clearer(secrets);
  const redacted: Record<string, number[]> = {};
  const summaries: Record<string, JsonObject> = {};
  let files = 0;
  let began = performance.now();
  async function* sessionOf(one: string, records: readonly JournalRecord[]): AsyncGenerator<string, void, void> {
    const shown: JournalRecord[] = [];
    yield `{"version":1,"id":${JSON.stringify(one)},"records":[`;
    for (const record of records) {
      if (performance.now() - began > longestTurn) {
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
      const cleared = clear(record) as JournalRecord;
      if (cleared !== record) (redacted[one] ??= []).push(record.seq);
      shown.push(cleared);
      yield `${record.seq === 0 ? "" : ","}${JSON.stringify(cleared)}`;
    }
    yield "]";
    files += attachmentsIn(shown).length;
    const updated = records.at(-1)?.at ?? 0;
    summaries[one] = { id: one, updated, ...summaryIn(one, shown) } as unknown as JsonObject;
  }
  const head: Pick<PackedSession, "lastcall" | "version" | "made"> = { lastcall: "page", version: 1, made: Date.now() };
  yield `${JSON.stringify(head).slice(0, -1)},"session":`;
  yield* sessionOf(id, all.get(id) ?? []);
  const below = [...all].filter(([one]) => one !== id);
  if (below.length > 0) yield ',"children":{';
  for (const [at, [one, records]] of below.entries()) {
    yield `${at === 0 ? "" : ","}${JSON.stringify(one)}:`;
    yield* sessionOf(one, records);
    yield "}";
  }
  yield below.length > 0 ? "}}" : "}";
  const rest = { redacted, files, summaries } satisfies Omit<PackedSession, keyof typeof head | "session">;
  yield `,${JSON.stringify(rest).slice(1)}`;
}

/** Redacts plain data, in values and in names. Data without secrets is returned as the same object. */
function clearer({ text, data }: Redactor): (value: unknown) => unknown {
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items = value.map(named);
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => [text(name), named(inner)] as const);
    const isSame = entries.every(([name, inner]) => Object.hasOwn(value, name) && inner === value[name]);
    return isSame ? value : Object.fromEntries(entries);
  };
  return (value) => named(data(value));
}
