// The validator of JSON Schema is part of the program if nothing can be loaded at once. No other package can be had then.

import * as cfworker from "@cfworker/json-schema";

/**
 * Gives a package that is part of the program.
 * @throws Error that says what to give instead of a schema that needs another package.
 */
export function late<Package>(name: string, load: (require: (name: string) => unknown) => Package): Package {
  return load((wanted) => {
    if (wanted === "@cfworker/json-schema") return cfworker;
    throw new Error(
      `such a schema needs the package ${name}, which can't be loaded in this runtime; give a schema of zod 4.2 or later, or the JSON Schema that z.toJSONSchema() writes`,
    );
  });
}
