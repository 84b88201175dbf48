// People: the connections of one server, one for each person who signed in, and the list of tools that all people share.

import type { Principal } from "../../core/index.js";
import type { Connection } from "../connect/connection.js";
import { signInNeededBy } from "../connect/sign-in-needed.js";
import { Asker, type SignInContext } from "../sign-in/asker.js";
import type { Seat } from "../sign-in/server-grants.js";
import { signedFetch } from "../sign-in/signed-fetch.js";
import type { SignInDesk } from "../sign-in/sign-ins.js";
import { ForeignServer } from "./foreign-server.js";
import { readListing, type Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";

/** The most people whose connections stay open while they call nothing. */
const mostIdle = 100;

/** The words of a server about itself. */
export interface About {
  readonly title: string;
  readonly protocol: string;
  readonly instructions: string | undefined;
}

interface Seated {
  readonly server: ForeignServer;
  /** The calls under way. */
  uses: number;
}

/** A server with its people. Without sign-ins all people are one. */
export class People {
  readonly settings: Settings;
  readonly #desk: SignInDesk | undefined;
  readonly #seats = new Map<string, Seated>();
  #listing: Listing = { tools: [], leftOut: new Map(), remarks: [] };
  #about: About = { title: "", protocol: "unknown", instructions: undefined };
  #isShut = false;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#desk = settings.signIn;
  }

  /** The tools that the server had when they were listed last, for any of the people. */
  get listing(): Listing {
    return this.#listing;
  }

  get about(): About {
    return this.#about;
  }

  /** True if the server lists its tools for people alone who signed in. */
  get isShut(): boolean {
    return this.#isShut;
  }

  /**
   * Opens the first connection and reads the list of tools. If the server wants a sign-in for that, the list is what it was for the
   * last person who signed in; without one it is empty.
   * @throws LastcallError as `ForeignServer.ready`.
   */
  async start(signal: AbortSignal): Promise<void> {
    const kept = await this.#desk?.vault.read(this.#listKey);
    this.#isShut = kept !== undefined;
    try {
      await this.#seatOf(undefined).server.ready(signal);
    } catch (thrown) {
      if (this.#desk === undefined || signInNeededBy(thrown) === undefined) throw thrown;
      this.#isShut = true;
      if (kept !== undefined) this.#takeKept(kept);
    }
  }

  /**
   * Does something as the person of a call, who is asked to sign in if the server wants it: the run ends with the question, and the call
   * runs again when it is answered.
   * @throws Error if the person said no, or if nobody can be asked.
   */
  async as<Made>(context: SignInContext, work: (server: ForeignServer) => Promise<Made>): Promise<Made> {
    const { principal } = context;
    const asker = this.#desk && new Asker(this.#desk, this.#seat(principal), context);
    await asker?.answered();
    const seated = this.#seatOf(principal);
    seated.uses += 1;
    try {
      return await work(seated.server);
    } catch (thrown) {
      const needed = signInNeededBy(thrown);
      if (asker === undefined || needed === undefined) throw thrown;
      return await asker.ask(needed);
    } finally {
      seated.uses -= 1;
      this.#leaveIdle();
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#seats.values()].map(({ server }) => server.close()));
  }

  #seat(principal: Principal | undefined): Seat {
    const { name: server, target } = this.settings;
    return { server, url: target.kind === "url" ? target.url : new URL("about:blank"), principal };
  }

  #seatOf(asked: Principal | undefined): Seated {
    const principal = this.#desk === undefined ? undefined : asked;
    const key = JSON.stringify([principal?.tenant ?? null, principal?.id ?? null]);
    const known = this.#seats.get(key) ?? { server: this.#serverFor(principal), uses: 0 };
    this.#seats.delete(key);
    this.#seats.set(key, known);
    return known;
  }

  #serverFor(principal: Principal | undefined): ForeignServer {
    const { target } = this.settings;
    const settings =
      this.#desk === undefined || target.kind !== "url"
        ? this.settings
        : { ...this.settings, target: { ...target, fetch: signedFetch(this.#desk.grants, this.#seat(principal)) } };
    return new ForeignServer(settings, (listing, sent, connection) => this.#listed(listing, sent, connection));
  }

  /** Takes a list that was read. A list that needed a sign-in is kept for processes that begin without one. */
  async #listed(
    listing: Listing,
    sent: readonly unknown[],
    { title, protocol, instructions }: Connection,
  ): Promise<void> {
    this.#listing = listing;
    this.#about = { title, protocol, instructions };
    if (!this.#isShut) return;
    const text = JSON.stringify({ sent, about: this.#about });
    await this.#desk?.vault.change(this.#listKey, () => Promise.resolve({ text }));
  }

  #takeKept(kept: string): void {
    const { sent, about } = JSON.parse(kept) as { readonly sent: readonly unknown[]; readonly about: About };
    this.#listing = readListing(sent, this.settings);
    this.#about = { ...about, instructions: about.instructions };
  }

  get #listKey(): string {
    return JSON.stringify(["list", this.#seat(undefined).url.href]);
  }

  #leaveIdle(): void {
    for (const [key, { server, uses }] of this.#seats) {
      if (this.#seats.size <= mostIdle) return;
      if (uses > 0) continue;
      this.#seats.delete(key);
      void server.close().catch(() => undefined);
    }
  }
}
