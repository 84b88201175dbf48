// The circuit around a provider: opossum's state machine, opened by identical failures in a row.

import { EventEmitter } from "node:events";
import { LastcallError, type FaultCode } from "../../core/index.js";
import { maskVolatile } from "../../core/internal.js";

/** One attempt that the circuit let through. Exactly one of its methods is to be called, once. */
export interface Passage {
  /** The provider answered, be it with a refusal. */
  succeeded(): void;
  /** The provider failed. */
  failed(fault: LastcallError): void;
  /** Nobody waited for the answer. */
  abandoned(): void;
}

/** A circuit that requests pass. */
export interface Breaker {
  /** @throws LastcallError `provider_circuit_open` while the circuit is open. */
  enter(): Promise<Passage>;
}

/** When the circuit opens, and for how long. */
export interface BreakerOptions {
  /** Identical failures in a row that open it. Default 5. */
  readonly identical?: number | undefined;
  /** Milliseconds until it lets one request through to see. Default 30,000. */
  readonly pause?: number | undefined;
}

const shared = new Map<string, Promise<Breaker>>();

/** The circuit of a provider: the same for all its users in this process that ask for the same numbers. */
export function breakerFor(provider: string, { identical = 5, pause = 30_000 }: BreakerOptions): Promise<Breaker> {
  const key = `${provider}\n${String(identical)}\n${String(pause)}`;
  const known = shared.get(key) ?? makeBreaker(provider, identical, pause);
  shared.set(key, known);
  return known;
}

type Action = (started: () => void, done: Promise<void>) => Promise<void>;

async function makeBreaker(provider: string, identical: number, pause: number): Promise<Breaker> {
  const { default: CircuitBreaker } = await import("opossum");
  const action: Action = (started, done) => {
    started();
    return done;
  };
  // opossum's own policy (percentages over a rolling window) is off, and with it its timers.
  const circuit = new CircuitBreaker(action, {
    timeout: false,
    resetTimeout: pause,
    volumeThreshold: Number.MAX_SAFE_INTEGER,
    errorThresholdPercentage: 100,
    enableSnapshots: false,
    rollingPercentilesEnabled: false,
    rotateBucketController: new EventEmitter(),
  });
  let last: LastcallError | undefined;
  let count = 0;
  /** What opened it, until it closes. */
  let opening: LastcallError | undefined;
  circuit.on("close", () => {
    last = undefined;
    opening = undefined;
    count = 0;
  });

  function note(fault: LastcallError | undefined): void {
    if (circuit.opened) return;
    count = fault === undefined ? 0 : last !== undefined && signature(fault) === signature(last) ? count + 1 : 1;
    last = fault;
    if (count < identical) return;
    opening ??= fault;
    circuit.open();
  }

  function openFault(): LastcallError {
    const code: FaultCode = "provider_circuit_open";
    const what = opening === undefined ? "" : ` What failed: ${opening.message}`;
    const message = `The provider at ${provider} failed ${String(identical)} times in a row in the same way, so nothing is sent to it for ${String(pause / 1000)} s.${what}`;
    return new LastcallError(code, message, opening === undefined ? {} : { cause: opening });
  }

  return {
    enter: () =>
      new Promise((resolve, reject) => {
        let settle: (error?: LastcallError) => void = () => undefined;
        const done = new Promise<void>((pass, fail) => {
          settle = (error) => {
            if (error === undefined) pass();
            else fail(error);
          };
        });
        const passage: Passage = {
          succeeded() {
            note(undefined);
            settle();
          },
          failed(fault) {
            note(fault);
            settle(fault);
          },
          abandoned() {
            // A probe that nobody waited for shows nothing: the circuit opens again. Else it does not count.
            settle(circuit.halfOpen ? openFault() : undefined);
          },
        };
        const started = (): void => {
          resolve(passage);
        };
        circuit.fire(started, done).catch((error: unknown) => {
          if (CircuitBreaker.isOurError(error as Error)) reject(openFault());
        });
      }),
  };
}

function signature({ code, status, message }: LastcallError): string {
  return `${code}|${String(status)}|${maskVolatile(message)}`;
}
