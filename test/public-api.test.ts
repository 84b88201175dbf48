// The public API: the names of every entry point. A change here is a change for users: it belongs in the changelog.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** The names of one entry point, sorted. */
interface Names {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** One exported name: the entry point, and the place of the declaration behind all re-exports. */
interface Export {
  readonly entry: string;
  readonly name: string;
  readonly isValue: boolean;
  readonly declaredAt: string;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
};
const entries = Object.entries(exports).flatMap(([entry, { types }]) =>
  types === undefined ? [] : [[entry, join(root, types.replace("./dist", "src").replace(/\.d\.ts$/, ".ts"))] as const],
);
const expected = JSON.parse(readFileSync(join(root, "test/public-api.json"), "utf8")) as Readonly<
  Record<string, Names>
>;

let found: readonly Export[] = [];

beforeAll(() => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path)) as {
    readonly config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    options,
  );
  const checker = program.getTypeChecker();
  found = entries.flatMap(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    return checker.getExportsOfModule(module!).map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const declaration = target.declarations?.[0];
      return {
        entry,
        name: symbol.name,
        isValue: (target.flags & ts.SymbolFlags.Value) !== 0,
        declaredAt: `${declaration?.getSourceFile().fileName ?? ""}:${String(declaration?.pos)}`,
      };
    });
  });
}, 60_000);

function namesOf(entry: string): Names {
  const own = found.filter((one) => one.entry === entry);
  const sorted = (isValue: boolean): readonly string[] =>
    own
      .filter((one) => one.isValue === isValue)
      .map(({ name }) => name)
      .sort();
  return { values: sorted(true), types: sorted(false) };
}

describe("the public API", () => {
  test("has the entry points that are listed", () => {
    expect(entries.map(([entry]) => entry).sort()).toEqual(Object.keys(expected).sort());
  });

  test.each(entries.map(([entry]) => entry))("%s exports the names that are listed, and no others", (entry) => {
    expect(namesOf(entry)).toEqual(expected[entry]);
  });

  test("gives a user of `lastcall` at most 20 values", () => {
    expect(namesOf(".").values.length).toBeLessThanOrEqual(20);
  });

  test("has no name that means two things", () => {
    const places = new Map<string, Set<string>>();
    for (const { name, declaredAt } of found) {
      places.set(name, (places.get(name) ?? new Set()).add(declaredAt));
    }
    expect([...places].filter(([, declarations]) => declarations.size > 1)).toEqual([]);
  });
});

/** The pages that users read. */
function pages(): string {
  const guide = readdirSync(join(root, "docs/guide")).map((name) => join("docs/guide", name));
  const others = readdirSync(join(root, "docs")).map((name) => join("docs", name));
  return ["README.md", ...guide, ...others]
    .filter((path) => path.endsWith(".md"))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
}

test("each exported value is named in a page, the values of lastcall/internal aside", () => {
  const words = new Set(pages().match(/\w+/g));
  const values = Object.entries(expected).flatMap(([entry, names]) => (entry === "./internal" ? [] : names.values));
  expect(values.filter((name) => !words.has(name))).toEqual([]);
});
