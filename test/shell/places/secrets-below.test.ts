// Secrets in a folder that a sandbox shows, at any depth within the bounds.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { secretsBelow, type SearchBounds } from "../../../src/shell/places/secrets-below.js";

const bounds: SearchBounds = { except: [], entries: 10_000, depth: 6 };

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-below-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

async function found(root: string, terms: Partial<SearchBounds> = {}): Promise<readonly string[]> {
  const secrets = await secretsBelow(root, { ...bounds, ...terms });
  return secrets.map((path) => relative(root, path)).sort();
}

test("names and contents are found, packages and the workspace are left out", async () => {
  const root = await folderWith({
    ".env": "A=1",
    "a/server.pem": "x",
    "a/open.json": "{}",
    "a/key.json": '{"private_key":"-----BEGIN PRIVATE KEY-----"}',
    "packages/app/.env": "A=1",
    "node_modules/x/.env": "A=1",
    ".ssh/id": "x",
    ".git/config": '[url "https://me:s3cretvalue@git.example.com/"]\n',
  });
  expect(await found(root, { except: [join(root, "packages/app")] })).toEqual([
    ...[".env", ".git/config", ".ssh", "a/key.json", "a/server.pem"],
  ]);
  await writeFile(join(root, ".git/config"), "[core]\n\tbare = false\n");
  await writeFile(join(root, "a/open.json"), '{"client_secret":"PLANTED-0123456789"}');
  expect(await found(root, { except: [join(root, "packages/app")] })).toEqual([
    ...[".env", ".ssh", "a/key.json", "a/open.json", "a/server.pem"],
  ]);
});

test("a link with the name of a secret gives its target, and one that leads out gives nothing", async () => {
  const root = await folderWith({ "conf/dev.txt": "A=1" });
  await symlink("conf/dev.txt", join(root, ".env"));
  await symlink("/etc/hostname", join(root, ".env.local"));
  expect(await found(root)).toEqual(["conf/dev.txt"]);
});

test("a file that is shown by itself counts by its content", async () => {
  const root = await folderWith({
    ".gitconfig": "[user]\n\tname = a\n",
    "b/.gitconfig": '[http "https://x"]\n\textraheader = Authorization: Bearer abcdef0123456789\n',
  });
  expect(await secretsBelow(join(root, ".gitconfig"), bounds)).toEqual([]);
  expect(await secretsBelow(join(root, "b/.gitconfig"), bounds)).toEqual([join(root, "b/.gitconfig")]);
});

test("the bounds end a search", async () => {
  const root = await folderWith({ "a/b/c/.env": "A=1", "a/.env": "A=1" });
  expect(await found(root, { depth: 1 })).toEqual(["a/.env"]);
  expect(await found(root, { entries: 1 })).toEqual([]);
});
