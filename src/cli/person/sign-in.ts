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

/** The question for a sign-in, and the person who answers it. */
interface Answering {
  readonly question: SignInQuestion;
  readonly signIn: Pick<SignIns, "redirect" | "complete">;
  readonly by: Principal | undefined;
}

/**
 * The answer to the question, if the words are the address that a browser was sent to, or a no; undefined for any other words.
 * @throws LastcallError if the sign-in failed, or is not known; and if it is another one, which has its end then.
 */
export async function signInReply(words: string, answering: Answering): Promise<string | undefined> {
  const { question, signIn, by } = answering;
  const said = words.trim();
  if (/^no\.?$/i.test(said)) return JSON.stringify({ action: "decline" });
  if (!said.startsWith(signIn.redirect)) return undefined;
  const { server, answer } = await signIn.complete(said, by);
  if (isFor(question, said)) return JSON.stringify(answer);
  throw new LastcallError(
    "configuration",
    `This address ended another sign-in, at ${server}. The sign-in that is asked for here waits on.`,
  );
}

/** True if a browser that opened the question's address was sent to this address: another question may wait in another terminal. */
function isFor({ address }: SignInQuestion, back: string): boolean {
  const [asked, given] = [stateOf(address), stateOf(back)];
  return asked !== null && asked === given;
}

function stateOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).searchParams.get("state") : null;
}

/** The things that asking for a sign-in needs. */
interface AskingSignIn extends Omit<Answering, "question"> {
  readonly person: Person;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Asks the person to sign in, until the browser comes back or an address is pasted; undefined if the person leaves without an answer. */
export async function askSignIn(question: SignInQuestion, asking: AskingSignIn): Promise<string | undefined> {
  const { say, signIn } = asking;
  say("");
  signInLines(question).forEach(say);
  const back = await comingBack({ ...asking, question });
  say(
    back === undefined
      ? `Port ${new URL(signIn.redirect).port} is taken here. Paste the address that the browser was sent to, or say no.`
      : "This goes on when you have signed in. If the browser can't come back here, paste the address that it was sent to, or say no.",
  );
  try {
    return await answered(back, { ...asking, question });
  } finally {
    await back?.close();
  }
}

/** The answer of the browser or of the person, whichever comes first. */
async function answered(
  back: ComingBack | undefined,
  { person, say, signal, question, signIn, by }: AskingSignIn & Answering,
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
      const reply = await signInReply(first, { question, signIn, by });
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
async function comingBack({ question, signIn, by }: Answering): Promise<ComingBack | undefined> {
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
    const address = `${signIn.redirect}${url.search}`;
    signIn.complete(address, by).then(
      ({ server: name, answer: { action } }) => {
        show(
          200,
          `You ${action === "accept" ? "are" : "did not"} ${action === "accept" ? "signed" : "sign"} in at ${name}. Go back to the terminal.`,
        );
        if (isFor(question, address)) told?.({ action, problem: "" });
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
