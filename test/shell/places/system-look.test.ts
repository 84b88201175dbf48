// The look through the system: files that only root could read, and sockets whose names tell no path.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lookAtSystem } from "../../../src/shell/places/system-look.js";

const isRoot = process.getuid?.() === 0;
const why = isRoot ? "" : " (left out: only root can make files there)";
let place = "";

beforeEach(() => {
  if (isRoot) place = realpathSync(mkdtempSync("/var/lib/lastcall-test-"));
  if (isRoot) chmodSync(place, 0o755);
});

afterEach(() => {
  if (isRoot) rmSync(place, { recursive: true, force: true });
});

/** The folders of people are hidden in every sandbox, and may be large. */
const hidden = ["/root", "/home"];
const nothing = { kept: [], hidden };

test.skipIf(!isRoot)(`finds files and folders that an ordinary user can't read${why}`, async () => {
  writeFileSync(join(place, "open"), "x");
  writeFileSync(join(place, "closed"), "x", { mode: 0o600 });
  mkdirSync(join(place, "state"), { mode: 0o700 });
  writeFileSync(join(place, "state/key"), "x");
  const { closed } = await lookAtSystem(nothing);
  const here = closed.filter((path) => path.startsWith(place));
  expect(here.sort()).toEqual([join(place, "closed"), join(place, "state")]);
});

test.skipIf(!isRoot)(`enters a closed folder around a workspace, and hides what is beside it${why}`, async () => {
  const root = join(place, "state/project");
  mkdirSync(root, { recursive: true });
  chmodSync(join(place, "state"), 0o700);
  writeFileSync(join(root, "private"), "x", { mode: 0o600 });
  writeFileSync(join(place, "state/key"), "x", { mode: 0o600 });
  const { closed } = await lookAtSystem({ kept: [root], hidden });
  expect(closed.filter((path) => path.startsWith(place))).toEqual([join(place, "state/key")]);
  expect(
    (await lookAtSystem({ kept: [], hidden: [...hidden, place] })).closed.some((path) => path.startsWith(place)),
  ).toBe(false);
});

test.skipIf(!isRoot)(`finds a socket that was bound by a relative path${why}`, async () => {
  const before = process.cwd();
  process.chdir(place);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen("app.sock", resolve));
  process.chdir(before);
  expect((await lookAtSystem(nothing)).sockets).toContain(join(place, "app.sock"));
  await new Promise((resolve) => server.close(resolve));
});
