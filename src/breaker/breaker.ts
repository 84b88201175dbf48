// The circuit breaker of a remote side, such as a provider: opossum's state machine, opened by identical faults in a row.

import { EventEmitter } from "node:events";
import { LastcallError } from "../core/index.js";
import { maskVolatile } from "../core/internal.js";

/** One request that the circuit let through. The caller must call exactly one of the methods, once. */
export interface Passage {
  /** The remote side answered, even if it refused the request. */
  succeeded(): void;
  /** The remote side failed. */
  failed(fault: LastcallError): void;
  /** The caller stopped waiting for the answer. */
  abandoned(): void;
}

/** The circuit that requests pass through. */
export interface Breaker {
  /**
   * Lets one request through, at once while the circuit is closed.
   * @throws LastcallError `provider_circuit_open` while the circuit is open.
   */
  enter(): Passage | Promise<Passage>;
}

/** When the circuit opens, and for how long. */
export interface BreakerOptions {
  /** The number of identical faults in a row that opens the circuit. Default 5. */
  readonly identical?: number | undefined;
  /** Milliseconds until the open circuit lets one request through as a probe. Default 30,000. */
  readonly pause?: number | undefined;
}

const shared = new Map<string, Breaker>();

/** The circuit of a provider. Callers in this process that pass the same provider and options share one. */
export function breakerFor(provider: string, { identical = 5, pause = 30_000 }: BreakerOptions): Breaker {
  const key = `${provider}\n${String(identical)}\n${String(pause)}`;
  const known = shared.get(key) ?? makeBreaker(`The provider at ${provider}`, { identical, pause });
  shared.set(key, known);
  return known;
}

/** Makes a circuit that nobody shares. `subject` begins the sentence that says who failed. */
export function makeBreaker(subject: string, { identical = 5, pause = 30_000 }: BreakerOptions): Breaker {
  let lastFault: LastcallError | undefined;
  let identicalFaults = 0;
  /** The open circuit; undefined while it is closed. opossum is loaded, and its promises are made, only for an open circuit. */
  let open: { readonly fault: LastcallError; readonly circuit: Promise<OpenCircuit> } | undefined;

  function close(): void {
    lastFault = undefined;
    identicalFaults = 0;
    open = undefined;
  }

  function record(fault: LastcallError | undefined): void {
    if (open !== undefined) return;
    const isSame = fault !== undefined && lastFault !== undefined && signature(fault) === signature(lastFault);
    identicalFaults = fault === undefined ? 0 : isSame ? identicalFaults + 1 : 1;
    lastFault = fault;
    if (fault === undefined || identicalFaults < identical) return;
    const message = `${subject} failed ${String(identical)} times in a row in the same way, so nothing is sent to it for ${String(pause / 1000)} s. What failed: ${fault.message}`;
    const refusal = (): LastcallError => new LastcallError("provider_circuit_open", message, { cause: fault });
    open = { fault, circuit: openCircuit(pause, refusal, close) };
  }

  const closedPassage: Passage = {
    succeeded() {
      record(undefined);
    },
    failed: record,
    abandoned: () => undefined,
  };
  return { enter: () => (open === undefined ? closedPassage : open.circuit.then(({ enter }) => enter())) };
}

interface OpenCircuit {
  enter(): Promise<Passage>;
}

type Action = (started: () => void, done: Promise<void>) => Promise<void>;

/**
 * Opens a circuit. After the pause it lets one request through as a probe, and closes if that succeeds: `closed` is called. Any other
 * request is refused.
 */
async function openCircuit(pause: number, refusal: () => LastcallError, closed: () => void): Promise<OpenCircuit> {
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
  circuit.on("close", closed);
  circuit.open();

  function enter(): Promise<Passage> {
    return new Promise((resolve, reject) => {
      let settle: (error?: LastcallError) => void = () => undefined;
      const done = new Promise<void>((pass, fail) => {
        settle = (error) => {
          if (error === undefined) pass();
          else fail(error);
        };
      });
      const passage: Passage = {
        succeeded: () => {
          settle();
        },
        failed: settle,
        // An abandoned probe proves nothing, so the circuit opens again.
        abandoned: () => {
          settle(circuit.halfOpen ? refusal() : undefined);
        },
      };
      const started = (): void => {
        resolve(passage);
      };
      circuit.fire(started, done).catch((error: unknown) => {
        if (CircuitBreaker.isOurError(error as Error)) reject(refusal());
      });
    });
  }
  return { enter };
}

function signature({ code, status, message }: LastcallError): string {
  return `${code}|${String(status)}|${maskVolatile(message)}`;
}
