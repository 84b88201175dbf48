// The browser is opened without the token in the words of a program, which other users of the machine can read.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPage } from "../../../src/cli/serve/open-page.js";
import { noLinux } from "../../no-linux.js";

const url = 'http://127.0.0.1:8080/studio/#token=a-token-that-nobody-guesses&x="<';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "lastcall-opener-"));
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true });
    vi.unstubAllEnvs();
  });
  return made;
}

test.skipIf(noLinux !== "")(`the words of the opener name a file that only this user can read${noLinux}`, async () => {
  const bin = folder();
  const words = join(bin, "words");
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$@" > ${words}\n`);
  chmodSync(join(bin, "xdg-open"), 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"] ?? ""}`);
  const close = await openPage(url, () => expect.unreachable());
  await expect.poll(() => existsSync(words) && readFileSync(words, "utf8").endsWith("\n")).toBe(true);
  const file = readFileSync(words, "utf8").trim();
  expect(file).not.toContain("token");
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  const address = "http://127.0.0.1:8080/studio/#token=a-token-that-nobody-guesses&amp;x=&quot;&lt;";
  expect(readFileSync(file, "utf8")).toContain(`<meta http-equiv="refresh" content="0; url=${address}">`);
  await close();
  expect(existsSync(dirname(file))).toBe(false);
});

test.skipIf(noLinux !== "")(`a machine without an opener is told${noLinux}`, async () => {
  vi.stubEnv("PATH", folder());
  let isTold = false;
  const close = await openPage(url, () => (isTold = true));
  await expect.poll(() => isTold).toBe(true);
  await close();
});
