// Finds the program that makes a sandbox.

import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { contains } from "../../files/index.js";

/**
 * The real path of a program on `PATH`. One in the workspace is not used, because the commands that it has to wall in may have written it.
 * @throws LastcallError `configuration` if there is none. Its message names the sandbox.
 */
export function findProgram(name: string, sandbox: string, root: string): string {
  let inside: string | undefined;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    try {
      const program = realpathSync.native(join(folder, name));
      accessSync(program, constants.X_OK);
      if (!contains(root, program)) return program;
      inside ??= program;
    } catch {
      // It is not in this folder; the next folder may have it.
    }
  }
  const missing =
    sandbox === "bubblewrap"
      ? `bubblewrap is not installed (there is no ${name} on the PATH). The package is named bubblewrap.`
      : `${sandbox} needs ${name}, and there is none on the PATH.`;
  const reason =
    inside === undefined
      ? missing
      : `${sandbox} is not used, because its program, ${inside}, is in the workspace (${root}), where commands may change it. Work in another folder.`;
  throw new LastcallError("configuration", reason);
}
