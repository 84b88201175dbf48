// Asks the person for the reply that a tool awaits: shows the value of its call, and takes words, the number of a suggestion, or JSON.

import type { AnyOutcome, JsonObject, WaitingCall } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { compile } from "../../schema/index.js";
import { replyForm } from "../display/reply-form.js";
import { restLines, type Speech } from "../display/said.js";
import { visible, visibleWords } from "../display/visible.js";
import { choose, suggestionsOf } from "./choose.js";
import { signInLines, signInQuestion } from "./sign-in-words.js";
import type { Person } from "./person.js";

/** The lines that show a waiting call: its words, its other fields, its suggestions with their numbers, and the form of a typed reply. */
export function waitingLines({ by, value, replySchema }: WaitingCall, speech: Speech): readonly string[] {
  const said = speech(by, value);
  return [
    visibleWords(said.words === "" ? by : said.words, { multiline: true }),
    ...restLines(said).map((line) => `  ${visibleWords(line, { multiline: true })}`),
    ...suggestionsOf(value).map((suggestion, index) => `  ${String(index + 1)}. ${visibleWords(suggestion)}`),
    ...(replySchema === undefined ? [] : [formLine(replySchema)]),
  ];
}

/** The lines that say how the reply is written that an outcome waits for; none if it is free text, or if nothing waits. */
export function formOf(outcome: AnyOutcome): readonly string[] {
  if (outcome.status !== "waiting" || outcome.approval !== undefined) return [];
  const toSignIn = signInQuestion(outcome);
  if (toSignIn !== undefined)
    return [...signInLines(toSignIn), "Then paste the address that the browser was sent to, or say no."];
  return outcome.replySchema === undefined ? [] : [formLine(outcome.replySchema)];
}

function formLine(schema: JsonObject): string {
  return `The answer is JSON: ${visible(replyForm(schema))}`;
}

/** The person, and the functions that print. */
interface Asking {
  readonly person: Person;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The reply of the person, asked again until it has the form that the tool awaits; undefined if the person leaves without one. */
export async function askReply(
  waiting: WaitingCall,
  speech: Speech,
  { person, say, signal }: Asking,
): Promise<string | undefined> {
  say(`\n${waitingLines(waiting, speech).join("\n")}`);
  for (;;) {
    const answer = (await person.ask("> ", signal))?.trim();
    if (answer === undefined || answer === "") return undefined;
    const problem = waiting.replySchema && (await problemOf(answer, waiting.replySchema));
    if (problem === undefined) return choose(waiting.value, answer);
    say(visible(`This does not fit: ${problem}.`));
  }
}

/** The reason why a text is no such reply; undefined if it is one. */
async function problemOf(text: string, schema: JsonObject): Promise<string | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return `it is no JSON (${explain(thrown)})`;
  }
  if (!isPlainObject(value)) return "it is no JSON object";
  const validation = await compile(schema).validate(value);
  if (validation.ok) return undefined;
  return validation.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
}
