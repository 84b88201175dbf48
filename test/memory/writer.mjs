// A process that writes a session for as long as it lives: it takes the lock where it can, appends, releases, and begins again.
// Each line says where in the log it must be; each line that is kept is told on the standard output.

import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { storeOf } from "../chaos/store-of.mjs";

const { kind, path, speed, begin, most } = JSON.parse(process.argv[2] ?? "{}");
/** A clock that runs faster, so that a lock that is not renewed gets stale soon. */
const now = () => begin + (Date.now() - begin) * speed;
const store = await storeOf(kind, path, now);

for (;;) {
  const holder = { id: randomUUID(), host: hostname(), pid: process.pid };
  const lock = await store.lock("shared", holder);
  if (!("append" in lock)) {
    await wait(Math.random() * 10);
    continue;
  }
  try {
    await write(lock, holder.id);
    await lock.release();
  } catch (thrown) {
    if (!/taken over or released/.test(String(thrown))) throw thrown;
    writeSync(1, '{"lost":true}\n');
    await lock.release();
  }
}

async function write(lock, by) {
  const lines = (await store.read("shared")) ?? [];
  let at = lines.length - (isTorn(lines.at(-1)) ? 1 : 0);
  await lock.cut(at);
  for (let count = Math.random() * most; count > 0; count -= 1) {
    const line = JSON.stringify({ at, by, text: "ü".repeat(Math.random() * 300) });
    await lock.append([line], Math.random() < 0.3);
    writeSync(1, `${line}\n`);
    at += 1;
    if (Math.random() < 0.1) await lock.renew();
  }
}

function isTorn(line) {
  if (line === undefined) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}
