// The circuit breaker of a provider: opossum's state machine, opened by identical faults in a row.

import { EventEmitter } from "node:events";
import { LastcallError, type FaultCode } from "../../core/index.js";
import { maskVolatile } from "../../core/internal.js";

/** One request that the circuit let through. The caller must call exactly one of the methods, once. */
export interface Passage {
  /** The provider answered, even if it refused the request. */
  succeeded(): void;
  /** The provider failed. */
  failed(fault: LastcallError): void;
  /** The caller stopped waiting for the answer. */
  abandoned(): void;
}

/** The circuit that requests pass through. */
export interface Breaker {
  /**
   * Lets one request through.
   * @throws LastcallError `provider_circuit_open` while the circuit is open.
   */
  enter(): Promise<Passage>;
}

/** When the circuit opens, and for how long. */
export interface BreakerOptions {
  /** The number of identical faults in a row that opens the circuit. Default 5. */
  readonly identical?: number | undefined;
  /** Milliseconds until the open circuit lets one request through as a probe. Default 30,000. */
  readonly pause?: number | undefined;
}

const shared = new Map<string, Promise<Breaker>>();

/** The circuit of a provider. Callers in this process that pass the same provider and options share one. */
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
  // opossum's own policy (percentages over a rolling window) and its timers are turned off.
  const circuit = new CircuitBreaker(action, {
    timeout: false,
    resetTimeout: pause,
    volumeThreshold: Number.MAX_SAFE_INTEGER,
    errorThresholdPercentage: 100,
    enableSnapshots: false,
    rollingPercentilesEnabled: false,
    rotateBucketController: new EventEmitter(),
  });
  let lastFault: LastcallError | undefined;
  let identicalFaults = 0;
  /** The fault that opened the circuit; undefined while it is closed. */
  let openingFault: LastcallError | undefined;
  circuit.on("close", () => {
    lastFault = undefined;
    openingFault = undefined;
    identicalFaults = 0;
  });

  function record(fault: LastcallError | undefined): void {
    if (circuit.opened) return;
    identicalFaults =
      fault === undefined
        ? 0
        : lastFault !== undefined && signature(fault) === signature(lastFault)
          ? identicalFaults + 1
          : 1;
    lastFault = fault;
    if (identicalFaults < identical) return;
    openingFault ??= fault;
    circuit.open();
  }

  function openFault(): LastcallError {
    const code: FaultCode = "provider_circuit_open";
    const reason = openingFault === undefined ? "" : ` What failed: ${openingFault.message}`;
    const message = `The provider at ${provider} failed ${String(identical)} times in a row in the same way, so nothing is sent to it for ${String(pause / 1000)} s.${reason}`;
    return new LastcallError(code, message, openingFault === undefined ? {} : { cause: openingFault });
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
            record(undefined);
            settle();
          },
          failed(fault) {
            record(fault);
            settle(fault);
          },
          abandoned() {
            // An abandoned probe proves nothing, so the circuit opens again. Any other abandoned request does not count.
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
