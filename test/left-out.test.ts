// Tests that some machines leave out: each says why in its name, or a check fails there and only there.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/** The tests and suites of a file behind `skipIf` that have no place for a reason, neither in their name nor in the name of a suite around. */
function withoutReason(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) ? node.arguments : [];
    if (ts.isCallExpression(node) && name !== undefined && isTestOrSuite(node.expression)) {
      const words = ts.isStringLiteralLike(name) ? name.text : "%s";
      if (/\(left out: .*\)$|%s$/s.test(words)) return;
      if (isBehindSkipIf(node.expression)) found.push(`${file}: ${words}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023));
  return found;
}

/** True of `test`, `it`, `describe` and of what they are called through, such as `describe.each(…)`. */
function isTestOrSuite(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ["test", "it", "describe"].includes(callee.text);
  return (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) && isTestOrSuite(callee.expression);
}

/** True of `test.skipIf(…)` and of what it is called through, such as `test.skipIf(…).each(…)`. */
function isBehindSkipIf(callee: ts.Expression): boolean {
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return false;
  const { name, expression } = callee.expression;
  return name.text === "skipIf" || isBehindSkipIf(expression);
}

test("a test failed the check of a machine without a sandbox: each test that may be left out says why", () => {
  const root = import.meta.dirname;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(500);
  const texts = files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
  const skipping = texts.filter(([, text]) => text.includes("skipIf"));
  expect(skipping.flatMap(([file, text]) => withoutReason(file, text))).toEqual([]);
});

test("a name without a reason is found, and one with a reason is not", () => {
  const planted = [
    'test.skipIf(!has)("silent", () => {});',
    "describe.skipIf(!has).each([1])(`silent too`, () => {});",
    'test.skipIf(!has)("said (left out: it is not there)", () => {});',
    "test.skipIf(!has)(`said${why}`, () => {});",
    "describe(`said${why}`, () => test.skipIf(!has)('by the suite'));",
    'describe("not said", () => test.skipIf(!has)("silent in a suite"));',
    'test("not left out", () => {});',
  ];
  expect(withoutReason("a", planted.join("\n"))).toEqual(["a: silent", "a: silent too", "a: silent in a suite"]);
});
