// The lists of files that a sandbox holds: each pattern finds its file in any folder, also by the quick test of names.

import { expect, test } from "vitest";
import { askedFor, isSecretFile, nameFilter, neverWritten, protectionOf, secretNames } from "../../src/files/index.js";

const example = (pattern: string): string => pattern.replaceAll("*", "some");

test.each(["", "a/", "a/b/"])("a protected file in the folder %j is on its list, in capitals as well", (folder) => {
  for (const pattern of neverWritten) expect(protectionOf(`${folder}${example(pattern)}`), pattern).toBe("never");
  for (const pattern of askedFor) expect(protectionOf(`${folder}${example(pattern)}`), pattern).toBe("asked");
  expect(protectionOf(`${folder}AGENTS.MD`)).toBe("asked");
  for (const path of ["git", "agents.md.txt", "src/vscode", "config/fish"])
    expect(protectionOf(folder + path)).toBe(undefined);
});

test("the quick test lets no name pass that a list has, and few others", () => {
  const mayBeListed = nameFilter([...secretNames, ...neverWritten, ...askedFor]);
  for (const pattern of [...secretNames, ...neverWritten, ...askedFor])
    for (const name of [example(pattern), example(pattern).toUpperCase()])
      expect(mayBeListed(name.split("/").at(-1) ?? ""), name).toBe(true);
  expect(isSecretFile("a/.ENV.local") && mayBeListed(".ENV.local")).toBe(true);
  for (const name of ["index.ts", "README.md", "package.json", "env", "pem", "Makefile"])
    expect(mayBeListed(name)).toBe(false);
});
