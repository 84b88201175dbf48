// Which packages are loaded for which schema, seen from a process of its own.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { late } from "../../src/schema/late.js";
import { built } from "../dist.js";

const root = resolve(import.meta.dirname, "../..");

/** Which of our dependencies' files this code makes Node load, by import and by require, and not those of the code itself. */
function loadedBy(code: string): readonly string[] {
  const hooks = `
    import { writeSync } from "node:fs";
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      writeSync(1, "loaded " + found.url + "\\n");
      return found;
    }`;
  const register = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hooks)}));`;
  const script = `
    import { createRequire } from "node:module";
    const lastcall = await import(${JSON.stringify(built())});
    const model = { name: "none", async *respond() { throw new Error("not asked"); } };
    const make = (input) => lastcall.createAgent({
      model, tools: [lastcall.tool({ name: "x", description: "", input, isLoopBreaking: true })],
    });
    console.log("begin");
    ${code}
    for (const file of Object.keys(createRequire(import.meta.url).cache)) console.log("loaded " + file);`;
  const args = [
    "--import",
    `data:text/javascript,${encodeURIComponent(register)}`,
    "--input-type=module",
    "-e",
    script,
  ];
  const written = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  const packages = written
    .split("\n")
    .filter((line) => line.startsWith("loaded "))
    .map((line) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1]);
  return [...new Set(packages.filter((name) => name !== undefined))].sort();
}

describe("the packages loaded", () => {
  it("by lastcall itself are none", () => {
    expect(loadedBy("")).toEqual([]);
  });

  it("for a schema of zod 4.2 or later are the caller's copy of zod alone", () => {
    const use = `const { z } = await import("zod-4.3"); make(z.object({ path: z.string() }));`;
    expect(loadedBy(use)).toEqual(["zod-4.3"]);
  });

  it("for a schema of arktype are none of ours", () => {
    const use = `const { type } = await import("arktype"); make(type({ path: "string" }));`;
    const loaded = loadedBy(use);
    for (const name of ["zod", "zod-to-json-schema", "@cfworker/json-schema"]) expect(loaded).not.toContain(name);
  });

  it("for a schema of zod 4.1 are the caller's copy and ours", () => {
    const use = `const { z } = await import("zod-4.1"); make(z.object({ path: z.string() }));`;
    expect(loadedBy(use)).toEqual(["zod", "zod-4.1"]);
  });

  it("for a schema of zod 3 are the caller's copy and the writer for it, which loads zod's version 3", () => {
    const use = `const { z } = await import("zod-3.23"); make(z.object({ path: z.string() }));`;
    expect(loadedBy(use)).toEqual(["zod", "zod-3.23", "zod-to-json-schema"]);
  });

  it("for JSON Schema is the validator alone", () => {
    expect(loadedBy(`make({ type: "object", properties: {} });`)).toEqual(["@cfworker/json-schema"]);
  });
});

describe("a package that is not there", () => {
  it("is named, with what to install", () => {
    const name = "no-such-package";
    expect(() => late(name, (require) => require(name) as unknown)).toThrow(
      "such a schema needs the package no-such-package, which is not there; run npm install no-such-package",
    );
  });

  it("is not blamed for what it throws itself", () => {
    const broken = (): never => {
      throw new TypeError("broken");
    };
    expect(() => late("zod", broken)).toThrow(new TypeError("broken"));
  });
});
