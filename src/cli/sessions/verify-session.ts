// lastcall verify: whether each effect of a session that needed a yes had the right yes, from the session and public keys.

import type { ApprovalVerdict, Session } from "../../core/index.js";
import { explain, keyNamesIn, publicKeyOf, verifyUnsigned } from "../../core/internal.js";
import { openSession, verifyApprovals } from "../../memory/index.js";
import type { Settings } from "../args/args.js";
import { wrong } from "../args/options.js";
import { readWhole } from "../display/bounded-file.js";
import { styleFor } from "../display/colours.js";
import { count, type Style } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { findId, storeFor } from "./sessions.js";

type Keys = Parameters<typeof verifyApprovals>[1];

/** The exit code of a session that does not hold. */
const hasProblem = 2;

/** A verdict with the time of its record and the name of its tool. */
interface Told extends ApprovalVerdict {
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  readonly tool: string | undefined;
}

/**
 * Verifies the approvals of a session and of the agents that its calls ran. Returns the exit code.
 * @throws LastcallError `configuration` for a key that can't be read, and for signatures without any of their keys.
 */
export async function tellVerdicts(given: string, settings: Settings, around: Surroundings): Promise<number> {
  const store = await storeFor(settings, around.env);
  const session = await openSession({ store, id: await findId(store, given) }).toJSON();
  const names = keyNamesIn(session);
  const keys = await keysFor(names, settings.key);
  const verdicts = keys === undefined ? await verifyUnsigned(session) : await verifyApprovals(session, keys);
  const told = verdicts.map((verdict) => ({ ...verdict, ...placeOf(verdict, session) }));
  // A changed call can be made to look redacted, so with a key nothing may be left unchecked.
  const holds = told.every((one) => one.holds && (keys === undefined || one.unchecked.length === 0));
  const signed = names.length > 0;
  const print = (line: string): boolean => around.stdout.write(`${line}\n`);
  if (settings.json) print(JSON.stringify({ session: session.id, signed, holds, verdicts: told }, null, 2));
  else for (const line of verdictLines(told, session.id, styleFor(around.stdout, around.env))) print(line);
  if (!settings.quiet && keys !== undefined) {
    const say = await sayer(around);
    for (const name of names.filter((one) => !Object.hasOwn(keys, one))) say(visible(wayToGive(name)));
  }
  return holds ? 0 : hasProblem;
}

/** The session and the sessions of the agents that its calls ran. */
function all(session: Session): readonly Session[] {
  return [session, ...Object.values(session.children ?? {})];
}

function placeOf({ session, record, callId }: ApprovalVerdict, root: Session): Pick<Told, "at" | "tool"> {
  const records = all(root).find(({ id }) => id === session)?.records ?? [];
  const parked = records.findLast((one) => one.type === "parked" && one.callId === callId);
  return {
    at: records.find(({ seq }) => seq === record)?.at,
    tool: parked?.type === "parked" ? parked.name : undefined,
  };
}

/** The keys of the options by name; undefined if there are neither keys nor signatures. */
async function keysFor(names: readonly string[], given: readonly string[]): Promise<Keys | undefined> {
  const [name = "", ...others] = names;
  if (given.length === 0) {
    if (names.length === 0) return undefined;
    throw wrong(`The answers are signed, and no key is given. ${names.map(wayToGive).join(" ")}`, "verify");
  }
  const keys = new Map<string, Keys[string]>();
  for (const word of given) {
    const [, stated, file = ""] = /^(?:([^=]*)=)?(.*)$/s.exec(word) ?? [];
    if (stated === "" || file === "")
      throw wrong(`--key ${JSON.stringify(word)} is no FILE and no NAME=FILE`, "verify");
    if (stated === undefined && others.length > 0)
      throw wrong(
        `There are signatures of ${names.join(", ")}, so each key needs its name: --key ${name}=${file}`,
        "verify",
      );
    const key = stated ?? name;
    if (keys.has(key)) throw wrong(`The key ${key} is given twice; give it once`, "verify");
    keys.set(key, await readKey(file));
  }
  return Object.fromEntries(keys);
}

function wayToGive(name: string): string {
  return `The key ${name} is missing: --key ${name}=FILE takes a file with the public key, as PEM or JWK.`;
}

/** @throws LastcallError `configuration` for a file without a public key of Ed25519. */
async function readKey(file: string): Promise<Keys[string]> {
  try {
    return await publicKeyOf(await readWhole(file));
  } catch (thrown) {
    throw wrong(
      `--key ${file} has no public key of Ed25519, as PEM (BEGIN PUBLIC KEY) or JWK: ${explain(thrown)}`,
      "verify",
    );
  }
}

/** The verdicts in lines for people, with a line at the end about all verdicts. */
function verdictLines(told: readonly Told[], root: string, style: Style): readonly string[] {
  const lines = told.map((one) => {
    const { at, session, record, what, tool, callId, problems, unchecked } = one;
    const when = at === undefined ? "" : `${new Date(at).toISOString()}  `;
    const where = session === root ? "" : `${session} `;
    const call = isEffect(one) ? callId : `${tool ?? "?"} (${callId})`;
    const about = isEffect(one) ? `${what} (${call})` : `${what} to ${call}`;
    const head = visible(`${when}${where}record ${String(record)}: ${about}: `);
    if (problems.length > 0) return head + style.bad(visible(`does not hold: ${problems.join("; ")}`));
    if (isUnsigned(one)) return `${head}not signed`;
    if (unchecked.length > 0) return `${head}not checked in full: ${unchecked.join("; ")}`;
    return head + style.good("holds");
  });
  return [...lines, lastLine(told)];
}

function isEffect({ about }: ApprovalVerdict): boolean {
  return about === "effect";
}

function isUnsigned({ unchecked }: ApprovalVerdict): boolean {
  return unchecked.includes("it has no signature");
}

function lastLine(told: readonly Told[]): string {
  if (told.length === 0) return "No call that waited was answered: there is nothing to verify.";
  const effects = told.filter(isEffect);
  const answers = told.filter((one) => !isEffect(one));
  const all = `${count(answers.length, "answer")} and ${count(effects.length, "effect")}`;
  const unsigned = told.some(isUnsigned) ? " The answers are not signed: a change of the journal can't be told." : "";
  if (!told.every(({ holds }) => holds))
    return `Problems: ${badOf(answers)} of ${count(answers.length, "answer")}, ${badOf(effects)} of ${count(effects.length, "effect")}.${unsigned}`;
  if (unsigned !== "") return `Order, times and people are right: ${all}.${unsigned}`;
  const partly = told.filter(({ unchecked }) => unchecked.length > 0).length;
  if (partly === 0) return `It holds: ${all}.`;
  return `Not all was checked: ${all}, ${String(partly)} of these not in full. A change by somebody who can write to the journal may look like a redaction.`;
}

function badOf(told: readonly Told[]): string {
  return String(told.filter(({ holds }) => !holds).length);
}
