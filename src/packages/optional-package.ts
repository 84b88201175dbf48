// Optional packages: each is loaded when it is first needed, so that a program without them need not install them.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";

/** An optional package. */
export interface OptionalPackage {
  readonly name: string;
  /** The subject of the message: the option, function or entry that needs the package. */
  readonly neededBy: string;
  /** The first version that works, such as `2.4`. Default: any. */
  readonly from?: string;
  /** The first later version that is known not to work. Default: none. */
  readonly below?: string;
  /** The command that installs the package. Default: `npm install` with a version that fits. */
  readonly install?: string;
}

/**
 * Loads an optional package. npm does not check the version: it would refuse to install lastcall beside an older package that is not used
 * with it.
 * @throws LastcallError `configuration`: with the command that installs the package if it is missing or does not fit, else with the error
 * of its loading.
 */
export async function loadOptional<Package>(wanted: OptionalPackage, load: () => Promise<Package>): Promise<Package> {
  const { name, neededBy } = wanted;
  const version = installedVersion(name);
  if (version !== undefined && !fits(version, wanted)) {
    const fitting =
      wanted.below === undefined
        ? `${String(wanted.from)} or later`
        : `${String(wanted.from)} to below ${wanted.below}`;
    throw new LastcallError(
      "configuration",
      `${neededBy} needs the package ${name} ${fitting}, and ${version} is installed: ${installLine(wanted)}`,
    );
  }
  try {
    return await load();
  } catch (thrown) {
    const { code } = (thrown ?? {}) as { readonly code?: unknown };
    const words = explain(thrown);
    // A package that is there may lack a package of its own.
    const isMissing = code === "ERR_MODULE_NOT_FOUND" && words.includes(`'${name}'`);
    const message = isMissing
      ? `${neededBy} needs the package ${name}, which is not installed: ${installLine(wanted)}`
      : `The package ${name}, which ${neededBy} needs, can't be loaded: ${words}`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

/** The command that installs the package. */
function installLine({ name, from, below, install }: OptionalPackage): string {
  if (install !== undefined) return install;
  if (from === undefined) return `npm install ${name}`;
  return `npm install ${name}@${below === undefined ? from.split(".", 1).join("") : from}`;
}

/** The version of the package that this module would load. Undefined if there is none, or if a bundle has hidden it. */
function installedVersion(name: string): string | undefined {
  try {
    for (
      let folder = dirname(fileURLToPath(import.meta.resolve(name)));
      folder !== dirname(folder);
      folder = dirname(folder)
    ) {
      const manifest = manifestIn(folder);
      if (manifest?.name === name) return manifest.version;
    }
  } catch {
    // The import says it in more words.
  }
  return undefined;
}

function manifestIn(folder: string): { readonly name?: unknown; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: unknown; version?: string };
  } catch {
    return undefined;
  }
}

/** True if the version is in the range. A version that is not read is taken. */
function fits(version: string, { from = "0", below = "" }: Pick<OptionalPackage, "from" | "below">): boolean {
  if (!/^\d/.test(version)) return true;
  return order(version, from) >= 0 && (below === "" || order(version, below) < 0);
}

/** Negative if the first version is earlier. Tags of pre-releases do not count. */
function order(first: string, second: string): number {
  const [a, b] = [first, second].map((version) => version.split(/[-+]/, 1).join("").split(".").map(Number));
  const at = [0, 1, 2].find((index) => (a?.[index] ?? 0) !== (b?.[index] ?? 0));
  return at === undefined ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0);
}
