// Asker: how a call asks its person to sign in, and takes the answer when it runs again.

import type { AskTerms, Json, JsonObject, Principal } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { SignInNeeded } from "../connect/sign-in-needed.js";
import { whatOf, type Seat } from "./server-grants.js";

/** The question of a run for a sign-in: `outcome.value`, if the run waits for it. */
export interface SignInQuestion {
  readonly kind: "sign_in";
  /** The name of the MCP server or of the API. */
  readonly server: string;
  /** The question in words. */
  readonly message: string;
  /** The address to open in a browser. */
  readonly address: string;
  /** The scopes that are asked for, as the server names them. */
  readonly scopes: readonly string[];
}

/** The part of a call's context that a sign-in needs. The tool declares the question with `asks`. */
export interface SignInContext {
  readonly principal: Principal | undefined;
  readonly path: readonly string[];
  readonly state: Json | undefined;
  readonly signal: AbortSignal;
  readonly ask: (question: SignInQuestion, terms?: AskTerms) => Promise<Json>;
}

/** Begins sign-ins, and returns the question to the person. */
export interface BeginsSignIns {
  begin(
    seat: Seat,
    call: { readonly id: string; readonly signal: AbortSignal },
    needed: SignInNeeded,
  ): Promise<SignInQuestion>;
}

/** The most times that one call asks for a sign-in. */
const mostRounds = 3;

/** Milliseconds during which the answer to a question for a sign-in is taken. */
const longestSignIn = 7 * 24 * 3_600_000;

/** One call that may ask its person to sign in at one place. */
export class Asker {
  readonly #desk: BeginsSignIns;
  readonly #seat: Seat;
  readonly #context: SignInContext;
  /** The question that the call asked last, if it was for this place. */
  readonly #before: { readonly question: SignInQuestion; readonly round: number } | undefined;
  #answered: Promise<void> | undefined;
  #asking: Promise<never> | undefined;

  constructor(desk: BeginsSignIns, seat: Seat, context: SignInContext) {
    this.#desk = desk;
    this.#seat = seat;
    this.#context = context;
    const before = askedIn(context.state);
    this.#before = before?.question.server === seat.server ? before : undefined;
  }

  /**
   * Takes the answer to the question that the call asked before it ran again; nothing if it asked none.
   * @throws Error if the person said no.
   */
  answered(): Promise<void> {
    this.#answered ??= this.#take();
    return this.#answered;
  }

  /**
   * Asks: the run ends with the question, and the call runs again when it is answered. Requests that are refused at once ask once.
   * @throws always; Error with a reason if nobody is asked any more.
   */
  ask(needed: SignInNeeded): Promise<never> {
    this.#asking ??= this.#ask(needed);
    return this.#asking;
  }

  async #take(): Promise<void> {
    if (this.#before === undefined) return;
    const reply = await this.#context.ask(this.#before.question);
    if (isPlainObject(reply) && reply["action"] === "accept") return;
    throw new Error(`The user did not sign in at ${this.#place}, so nothing was called.`);
  }

  async #ask(needed: SignInNeeded): Promise<never> {
    const { path, signal, ask } = this.#context;
    const round = (this.#before?.round ?? 0) + 1;
    if (round > mostRounds)
      throw new Error(
        `${capital(this.#place)} still wants a sign-in after ${String(mostRounds)} of them, so nothing was called.`,
      );
    const question = await this.#desk.begin(this.#seat, { id: path[0] ?? "", signal }, needed);
    const state = { signIn: { question: { ...question, scopes: [...question.scopes] }, round } };
    await ask(question, { replySchema, state, expiresAfter: longestSignIn });
    throw needed;
  }

  get #place(): string {
    return `the ${whatOf(this.#seat)} ${this.#seat.server}`;
  }
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** The schema of the answer to a question for a sign-in. */
const replySchema: JsonObject = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["accept", "decline"],
      description: "accept once you are signed in, decline to go on without",
    },
  },
  required: ["action"],
};

/** The question for a sign-in that the call asked last, and how many it has asked; undefined if its last question was another. */
function askedIn(state: Json | undefined): { readonly question: SignInQuestion; readonly round: number } | undefined {
  const asked = isPlainObject(state) ? state["signIn"] : undefined;
  return isPlainObject(asked) ? (asked as unknown as { question: SignInQuestion; round: number }) : undefined;
}
