import { expect, test } from "vitest";
import { expectPackageName, likePackage } from "../../../src/cli/init/package-name.js";

const refusal = (name: string, packages: readonly string[] = []): string => {
  try {
    expectPackageName(name, packages);
    return "";
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

test.each(["agent", "my-agent", "a.b_c", "7up", "a".repeat(214)])("npm takes the name %s", (name) => {
  expect(refusal(name)).toBe("");
});

test.each([
  ["My Agent", "Take my-agent."],
  [".hidden", "Take hidden."],
  ["_private", "Take private."],
  ["caffè", "Take caffe."],
  ["a".repeat(215), `Take ${"a".repeat(214)}.`],
  ["node_modules", "Take a name such as my-agent."],
  ["日本", "Take a name such as my-agent."],
])("npm refuses the name %s, and another one is proposed", (name, advice) => {
  expect(refusal(name)).toContain(advice);
});

test("a project can't have the name of a package that it uses, nor of a module of Node", () => {
  expect(refusal("zod", ["zod"])).toContain("which is a package that it uses");
  expect(refusal("http")).toContain("which is a package that it uses");
});

test("the name that is proposed is one that npm takes", () => {
  for (const words of ["-- x", "A/B", "x~", "über agent!", "..a-", "1 "]) {
    const like = likePackage(words);
    expect(like).not.toBe("");
    expect(refusal(like)).toBe("");
  }
});
