// The part of Node's process that the sources use. Some runtimes have variables of the environment, browsers have none.

import * as crypto from "./crypto.js";

interface HasEnvironment {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

export const process = {
  env: (globalThis as HasEnvironment).process?.env ?? {},
  getBuiltinModule(name: string): unknown {
    if (name === "node:crypto") return crypto;
    throw new Error(`There is no ${name} here.`);
  },
};
