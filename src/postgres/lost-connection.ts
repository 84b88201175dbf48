// Statements over connections that may break: each is tried again, since each can be carried out twice.

import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds for which a statement is tried again. A lock is stale later than that. */
const patience = 10_000;

/** The classes and codes with which Postgres refuses a statement that may well succeed a moment later. */
const passing = /^(?:08...|57P0[123]|53300|40001|40P01)$/;
const ofSystem = /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN)$/;
/** The words of the package `pg` for a connection that broke: these errors have no code. */
const ofDriver =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying|Query read timeout)/;

/** True if the connection broke, or if the server can't take the statement at the moment: it may have been carried out, or not. */
export function isPassing(thrown: unknown): boolean {
  const { code, message = "" } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: string };
  const text = typeof code === "string" ? code : "";
  return passing.test(text) || ofSystem.test(text) || ofDriver.test(message);
}

/** Runs work that can be carried out twice until it succeeds, or until the patience is over. Any other error is thrown at once. */
export async function persistently<Made>(work: () => Promise<Made>): Promise<Made> {
  const began = performance.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown) || performance.now() - began > patience) throw thrown;
      // Not all workers at once, when a server is back.
      await sleep(Math.min(20 * 2 ** tries, 1000) * (0.5 + Math.random() / 2));
    }
  }
}
