// The package of DBOS, which is loaded late: only who makes a host on it needs it.

import type * as Package from "@dbos-inc/dbos-sdk";
import { LastcallError } from "../core/index.js";

/** The package. */
export type Dbos = typeof Package;
/** A client of the engine. */
export type DbosClient = Awaited<ReturnType<Dbos["DBOSClient"]["create"]>>;

/**
 * Loads the package.
 * @throws LastcallError `configuration` if it is not installed.
 */
export async function loadDbos(): Promise<Dbos> {
  try {
    return await import("@dbos-inc/dbos-sdk");
  } catch (cause) {
    const message = "hostOnDbos needs the package @dbos-inc/dbos-sdk ~5.3: npm install @dbos-inc/dbos-sdk.";
    throw new LastcallError("configuration", message, { cause });
  }
}
