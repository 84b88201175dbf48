// The optional package that reads TOML.

import { loadOptional } from "../../packages/index.js";

/** The package, as far as it is used. */
interface TomlPackage {
  parse(text: string): unknown;
}

/**
 * Loads the package at the first task.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadToml(): Promise<TomlPackage> {
  return loadOptional({ name: "smol-toml", neededBy: "harborTasks", from: "1.0" }, () => import("smol-toml"));
}
