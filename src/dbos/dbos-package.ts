// The package of DBOS. It is loaded late, because only a program that makes a host on DBOS needs the package.

import type * as Package from "@dbos-inc/dbos-sdk";
import { loadOptional } from "../packages/index.js";

/** The package. */
export type Dbos = typeof Package;
/** A client of DBOS: it reaches the database of DBOS, and runs no workflows. */
export type DbosClient = Awaited<ReturnType<Dbos["DBOSClient"]["create"]>>;

/**
 * Loads the package.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadDbos(): Promise<Dbos> {
  const needed = { name: "@dbos-inc/dbos-sdk", neededBy: "A host on DBOS", from: "5.3", below: "5.4" };
  return loadOptional(needed, () => import("@dbos-inc/dbos-sdk"));
}
