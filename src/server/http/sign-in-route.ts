// The route that people are sent back to after they signed in elsewhere: it ends the sign-in and answers the question of the run.

import { LastcallError, type JsonObject, type JournalRecord, type Principal } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { recordsAfter, rootOf } from "../../memory/index.js";
import type { Hub } from "../hub/hub.js";

/**
 * The sign-ins of a program. `signIns` of `lastcall/mcp` makes it.
 *
 * Contract: `complete` ends a sign-in with the address to which a person was sent back, in any process and any number of times. Its
 * `call` is the id of the call that asked, and `answer` the answer to the question. It throws a LastcallError `configuration` for an
 * address of no sign-in that waits, or of another person's, and `authentication` if the sign-in failed; then nothing was signed in.
 */
export interface SignInEnds {
  readonly redirect: string;
  complete(
    address: string,
    by?: Principal,
  ): Promise<{ readonly server: string; readonly call: string; readonly answer: JsonObject }>;
}

/** The path of the route within the handler. */
export const callbackPath = "/oauth/callback";

/** A callback, and the person who brings it. */
interface Callback {
  readonly hub: Hub;
  readonly signIn: SignInEnds;
  readonly principal: Principal | undefined;
  /** The query of the request. */
  readonly search: string;
}

/** Ends the sign-in, answers the question of the session that waits for it, and shows the person a page. */
export async function signInAnswer({ hub, signIn, principal, search }: Callback): Promise<Response> {
  try {
    // The address as the authorization server knows it: a proxy may have changed host and path.
    const { server, call, answer } = await signIn.complete(`${signIn.redirect}${search}`, principal);
    const isBack = await goOn(hub, { call, state: new URLSearchParams(search).get("state") }, answer);
    const words =
      answer["action"] === "accept" ? `You are signed in at ${server}.` : `You did not sign in at ${server}.`;
    return page(
      200,
      isBack ? `${words} The run goes on. You can close this page.` : `${words} Go back to the session.`,
    );
  } catch (thrown) {
    if (!(thrown instanceof LastcallError)) throw thrown;
    if (thrown.code === "configuration") return page(404, "No sign-in of yours waits here. Open the address anew.");
    if (thrown.code === "authentication") return page(400, `${thrown.message} Open the address anew.`);
    return page(503, "The sign-in can't be kept at this moment. Load this page again.");
  }
}

/** The sign-in that ended: the call that asked, and the state in its address. */
interface Ended {
  readonly call: string;
  readonly state: string | null;
}

/**
 * Answers the question of the call. Returns false if the session takes no such answer now. The page may be loaded again when the call asks
 * something else: such a question is not answered.
 */
async function goOn(hub: Hub, ended: Ended, input: JsonObject): Promise<boolean> {
  const session = rootOf(ended.call);
  const question = questionIn(await recordsAfter({ store: hub.store, id: session }).catch(() => []), ended);
  if (session === ended.call || question === undefined) return false;
  try {
    await hub.give({ session, answers: question, input });
    return true;
  } catch (thrown) {
    if (thrown instanceof LastcallError && thrown.code === "configuration") return false;
    throw thrown;
  }
}

/** The id of the last question of the call, if it asked for this sign-in. */
function questionIn(records: readonly JournalRecord[], { call, state }: Ended): string | undefined {
  const found = records.findLast((record) => record.type === "question" && record.callId === call);
  return found?.type === "question" && asksFor(found.value, state) ? found.id : undefined;
}

/** True if the value is the question for the sign-in with the state, also as the question of an agent that the call runs. */
function asksFor(value: unknown, state: string | null): boolean {
  if (!isPlainObject(value) || state === null) return false;
  const { kind, address, value: below } = value;
  if (kind !== "sign_in") return asksFor(below, state);
  return typeof address === "string" && URL.canParse(address) && new URL(address).searchParams.get("state") === state;
}

function page(status: number, words: string): Response {
  const shown = words.replace(/[&<>"']/g, (one) => `&#${String(one.charCodeAt(0))};`);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title><p>${shown}</p></html>\n`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      // The address has a code: no other server gets to see it.
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
