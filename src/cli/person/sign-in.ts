// Sign-ins at the command: the browser comes back to a port of this machine, or the person pastes the address that it was sent to.

import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { LastcallError, type Principal } from "../../core/index.js";
import { asFault } from "../../core/internal.js";
import type { SignInQuestion, SignIns } from "../../mcp/index.js";
import { homeOf } from "../args/config.js";
import { visible } from "../display/visible.js";
import type { Person } from "./person.js";
import { signInLines } from "./sign-in-words.js";
import type { Surroundings } from "./surface.js";

/** The port that browsers come back to, unless `LASTCALL_SIGN_IN_PORT` names another. */
const usualPort = 47_823;

/**
 * The sign-ins of the command. Their tokens are in the user's own folder, by person and server, encrypted if `LASTCALL_VAULT_KEY` is set.
 * @throws LastcallError `configuration` for a wrong port or key.
 */
export async function commandSignIns(env: Surroundings["env"]): Promise<SignIns> {
  const { fileVault, signIns } = await import("../../mcp/index.js");
  const { LASTCALL_VAULT_KEY: key = "", LASTCALL_SIGN_IN_PORT: given = "" } = env;
  const port = given === "" ? usualPort : Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new LastcallError(
      "configuration",
      `LASTCALL_SIGN_IN_PORT is ${JSON.stringify(given)}: give a port, 1 to 65535.`,
    );
  const folder = join(homeOf({ env }), "sign-ins");
  return signIns({
    vault: fileVault({ folder, ...(key !== "" && { key }) }),
    redirect: `http://127.0.0.1:${String(port)}/oauth/callback`,
  });
}

/**
 * The answer to the question, if the words are the address that a browser was sent to, or a no; undefined for any other words.
 * @throws LastcallError if the sign-in failed, or is not known.
 */
export async function signInReply(
  words: string,
  { signIn, by }: { readonly signIn: SignIns; readonly by: Principal | undefined },
): Promise<string | undefined> {
  const said = words.trim();
  if (/^no\.?$/i.test(said)) return JSON.stringify({ action: "decline" });
  if (!said.startsWith(signIn.redirect)) return undefined;
  return JSON.stringify((await signIn.complete(said, by)).answer);
}

/** The things that asking for a sign-in needs. */
interface AskingSignIn {
  readonly person: Person;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly signIn: SignIns;
  readonly by: Principal | undefined;
}

/** Asks the person to sign in, until the browser comes back or an address is pasted; undefined if the person leaves without an answer. */
export async function askSignIn(question: SignInQuestion, asking: AskingSignIn): Promise<string | undefined> {
  const { say, signIn, by } = asking;
  say("");
  signInLines(question).forEach(say);
  const back = await comingBack(signIn, by);
  say(
    back === undefined
      ? `Port ${new URL(signIn.redirect).port} is taken here. Paste the address that the browser was sent to, or say no.`
      : "This goes on when you have signed in. If the browser can't come back here, paste the address that it was sent to, or say no.",
  );
  try {
    return await answered(back, asking);
  } finally {
    await back?.close();
  }
}

/** The answer of the browser or of the person, whichever comes first. */
async function answered(
  back: ComingBack | undefined,
  { person, say, signal, signIn, by }: AskingSignIn,
): Promise<string | undefined> {
  for (;;) {
    const stop = new AbortController();
    const typed = person.ask("> ", AbortSignal.any([signal, stop.signal]));
    const first = await Promise.race([typed, ...(back === undefined ? [] : [back.answer])]);
    stop.abort();
    await typed;
    if (typeof first === "object") {
      if (first.action !== undefined) return JSON.stringify({ action: first.action });
      say(visible(first.problem));
      continue;
    }
    if (first === undefined || first.trim() === "") return undefined;
    try {
      const reply = await signInReply(first, { signIn, by });
      if (reply !== undefined) return reply;
      say(`This is no address of the sign-in: it begins with ${signIn.redirect}.`);
    } catch (thrown) {
      say(visible(asFault(thrown).message));
    }
  }
}

/** The way back of a browser: its answer, or the reason why it brought none. */
interface ComingBack {
  /** The next answer. A failed sign-in may be tried again. */
  readonly answer: Promise<{ readonly action?: "accept" | "decline"; readonly problem: string }>;
  /** Listens no longer. */
  close(): Promise<void>;
}

/** Listens for the browser; undefined if the port is taken. */
async function comingBack(signIn: SignIns, by: Principal | undefined): Promise<ComingBack | undefined> {
  const { hostname, port, pathname } = new URL(signIn.redirect);
  let told: ((ended: Awaited<ComingBack["answer"]>) => void) | undefined;
  let next: ComingBack["answer"] = Promise.resolve({ problem: "" });
  const renew = (): void => {
    next = new Promise((resolve) => (told = resolve));
  };
  renew();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", signIn.redirect);
    const isHere = request.headers.host === new URL(signIn.redirect).host;
    const show = (status: number, words: string): void => {
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "referrer-policy": "no-referrer" });
      response.end(`${words}\n`);
    };
    if (request.method !== "GET" || url.pathname !== pathname || !isHere) {
      show(404, "There is nothing at this path.");
      return;
    }
    signIn.complete(`${signIn.redirect}${url.search}`, by).then(
      ({ server: name, answer: { action } }) => {
        show(
          200,
          `You ${action === "accept" ? "are" : "did not"} ${action === "accept" ? "signed" : "sign"} in at ${name}. Go back to the terminal.`,
        );
        told?.({ action, problem: "" });
      },
      (thrown: unknown) => {
        const { message } = asFault(thrown);
        show(400, message);
        told?.({ problem: message });
        renew();
      },
    );
  }).listen(Number(port), hostname);
  if (!(await isListening(server))) return undefined;
  return {
    get answer() {
      return next;
    },
    async close() {
      server.close();
      // The page that says so is sent first.
      server.closeIdleConnections();
      await Promise.race([once(server, "close"), new Promise((resolve) => setTimeout(resolve, 200).unref())]);
      server.closeAllConnections();
    },
  };
}

async function isListening(server: Server): Promise<boolean> {
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}
