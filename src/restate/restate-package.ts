// The package of Restate, which is loaded late: only who makes a host on it needs it.

import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { loadOptional } from "../packages/index.js";

/** The part of the package that this host uses. Its own types do not compile under `exactOptionalPropertyTypes`. */
export interface Restate {
  object(definition: {
    readonly name: string;
    readonly handlers: Readonly<Record<string, (context: SessionContext, argument: never) => Promise<unknown>>>;
    readonly options: object;
  }): SessionService;
  createEndpointHandler(options: {
    readonly services: readonly SessionService[];
    readonly identityKeys?: readonly string[];
    readonly logger: () => void;
  }): (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  readonly serde: { readonly json: object };
}

/** A virtual object whose keys are sessions. */
interface SessionService {
  readonly name: string;
}

/** The context of a handler of one session. */
export interface SessionContext {
  /** Runs a step, and keeps its result. It rejects once the invocation is cancelled, whether the step has ended or not. */
  run<Result>(name: string, step: () => Promise<Result>): Promise<Result>;
  genericSend(call: {
    readonly service: string;
    readonly method: string;
    readonly key: string;
    readonly parameter: unknown;
    readonly inputSerde: object;
    /** Milliseconds. */
    readonly delay: number;
    readonly idempotencyKey: string;
  }): { readonly invocationId: Promise<string> };
  /** The signal aborts once the attempt is over, also because its connection broke. */
  request(): { readonly attemptCompletedSignal: AbortSignal };
}

/** A property, and not a literal: the compiler would read the types of the package. */
const outside = { name: "@restatedev/restate-sdk" };

/**
 * Loads the package. It calls `Promise.withResolvers`, which Node 20 does not have: the function is added if it is missing.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadRestate(): Promise<Restate> {
  if (!("withResolvers" in Promise))
    Object.defineProperty(Promise, "withResolvers", { value: withResolvers, configurable: true, writable: true });
  const { name } = outside;
  const needed = { name, neededBy: "hostOnRestate", from: "1.17.2" };
  return loadOptional(needed, async () => (await import(name)) as Restate);
}

/** A promise and the functions that settle it, as the standard has it. */
function withResolvers(this: PromiseConstructor): object {
  const parts: { resolve?: (value: unknown) => void; reject?: (reason: unknown) => void } = {};
  const promise = new this((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return { promise, ...parts };
}
