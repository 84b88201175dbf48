// The look for files with secrets, in a real folder.

import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { argumentsOf } from "../../../src/permission/command/program-options.js";
import { safePrograms } from "../../../src/permission/command/programs.js";
import { searchOfGrep, searchOfRipgrep, secretIn } from "../../../src/permission/decide/secret-look.js";

let root = "";

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-look-")));
  const files = {
    ".env": "",
    "src/a.ts": "",
    "keys/server.pem": "",
    "out/b.pem": "",
    ".git/HEAD": "",
    ".gitignore": "out/\n",
    "clean/c.ts": "",
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  await symlink("../keys", join(root, "clean/link"));
  await symlink("keys", join(root, "link"));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** The file that a search of the root prints, or nothing. */
function secretOf(text: string): string {
  const [name = "", ...words] = text.split(" ");
  const program = safePrograms.get(name);
  const sorted = program && argumentsOf(program, words);
  if (sorted === undefined) throw new Error("it is not known");
  const search = name === "grep" ? searchOfGrep(sorted) : searchOfRipgrep(sorted);
  return (search && secretIn(root, root, search)) ?? "nothing";
}

it.each<[string, string]>([
  ["grep -r x", ".env"],
  ["grep -rn x .", ".env"],
  ["grep -d recurse x .", ".env"],
  ["grep -r x keys", "keys/server.pem"],
  ["grep -r x link", "link/server.pem"],
  ["grep -r x . --include=.env", ".env"],
  ["grep -r x keys --include=*.p*", "keys/server.pem"],
  ["grep -r x . --include=*.[pt]*", ".env"],
  ["grep -r x . --exclude=*.md --include=*.ts", ".env"],
  ["grep -r x . --include=*.ts", "nothing"],
  ["grep -r x src clean", "nothing"],
  ["grep -r x out --exclude-dir=out", "b.pem"],
  ["grep -rl x .", ".env"],
  ["grep -rc x .", ".env"],
  ["grep x src/a.ts", "nothing"],
  ["rg x", "keys/server.pem"],
  ["rg x src clean", "nothing"],
  ["rg x out", "out/b.pem"],
  ["rg --hidden x", ".env"],
  ["rg -uu x", ".env"],
  ["rg -g .env x", ".env"],
  ["rg -l x", "keys/server.pem"],
  ["rg -l --json x", "keys/server.pem"],
  ["rg --files", "nothing"],
  ["grep -r -f src/a.ts", ".env"],
  ["grep -r --file=src/a.ts", ".env"],
  ["grep -r -f src/a.ts clean", "nothing"],
  ["rg -f src/a.ts", "keys/server.pem"],
  ["rg -uu -g /.env x", ".env"],
])("%s: %s", (text, file) => {
  expect(secretOf(text)).toContain(file);
});

it.each([
  [".ignore", "!.env"],
  [".rgignore", "*.ts\n  !.e*"],
  [".git/info/exclude", "!.env"],
])("looks at hidden files if %s takes something back", async (name, content) => {
  const place = await realpath(await mkdtemp(join(tmpdir(), "lastcall-look-")));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await mkdir(join(place, "src/.git/info"), { recursive: true });
  await mkdir(join(place, "src/deep"));
  await writeFile(join(place, "src/deep/.env"), "");
  const secret = (words: string): string | undefined => {
    const rg = safePrograms.get("rg");
    const sorted = rg && argumentsOf(rg, words.split(" "));
    const search = sorted && searchOfRipgrep(sorted);
    return search && secretIn(place, place, search);
  };
  expect(secret("x")).toBeUndefined();
  await writeFile(join(place, "src", name), "!.env.example\n!/deep/a.pem\n");
  expect(secret("x")).toBeUndefined();
  await writeFile(join(place, "src", name), content);
  expect(secret("x")).toContain("src/deep/.env");
  expect(secret("x src/deep")).toContain("src/deep/.env");
});

it("leaves out what the ignore file surely leaves out, and nothing if it takes something back", async () => {
  await rm(join(root, "keys"), { recursive: true });
  expect(secretOf("rg x")).toBe("nothing");
  await writeFile(join(root, ".gitignore"), "out/\n!out/b.pem\n");
  expect(secretOf("rg x")).toContain("out/b.pem");
});

it("gives up on a folder of too many files", async () => {
  await mkdir(join(root, "full"));
  for (let index = 0; index < 20_001; index += 1) writeFileSync(join(root, "full", String(index)), "");
  expect(secretOf("grep -r x full")).toContain("more files than can be looked through");
});
