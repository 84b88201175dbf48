// The place at which a process is to stop for good: it says so on its standard output, and does nothing more until it is killed.

import { syncBuiltinESMExports } from "node:module";
import fs from "node:fs";
import promises from "node:fs/promises";

/** `CHAOS_AT` is the name of a point and which time it is met, from 1: `P7:2`. */
const [point, time = "1"] = (process.env.CHAOS_AT ?? "").split(":");
let met = 0;
const { openSync, writeSync } = fs;

/** Says something to the parent, in one write. */
export function tell(message) {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

/** True where this is the place: then something may be done halfway before `stop`. */
export function isDue(name) {
  if (name !== point) return false;
  met += 1;
  return met === Number(time);
}

/**
 * Stops the whole process, its timers too: until it is killed, until it is woken (`sleep`), or by running out of memory
 * (`grow`). One that is put to sleep from outside, while it waits for something, goes on (`doze`).
 */
export function stop() {
  tell({ at: process.env.CHAOS_AT });
  const how = process.env.CHAOS_HOW;
  if (how === "doze") return;
  if (how === "sleep") return void process.kill(process.pid, "SIGSTOP");
  const kept = [];
  for (;;) {
    if (how === "grow") kept.push(new Array(1e6).fill(kept.length + Math.random()));
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

/** Stops here if this is the place. */
export function barrier(name) {
  if (isDue(name)) stop();
}

/**
 * Makes every operation that changes a file below the folder a place to stop at: `P16-before`, `P16-after`, and `P16-torn` for a
 * write of which one half is done. To be called before anything that writes is loaded.
 */
export function watchFiles(folder) {
  const opened = new Set();
  const isOurs = (path) => String(path).startsWith(folder);
  const around = (owner, name, isMeant) => {
    const original = owner[name];
    owner[name] = function (...args) {
      if (!isMeant(...args)) return Reflect.apply(original, this, args);
      barrier("P16-before");
      const made = Reflect.apply(original, this, args);
      if (made instanceof Promise) return made.then((value) => (barrier("P16-after"), value));
      barrier("P16-after");
      return made;
    };
  };
  for (const name of ["mkdir", "rename", "rm", "writeFile", "utimes"]) around(promises, name, isOurs);
  for (const name of ["ftruncateSync"]) around(fs, name, (descriptor) => opened.has(descriptor));
  fs.openSync = (path, ...rest) => {
    const isNew = isOurs(path) && !fs.existsSync(path);
    if (isNew) barrier("P16-before");
    const descriptor = openSync(path, ...rest);
    if (isOurs(path)) opened.add(descriptor);
    if (isNew) barrier("P16-after");
    return descriptor;
  };
  const { fdatasync } = fs;
  fs.fdatasync = (descriptor, done) => {
    barrier("P16-before");
    fdatasync(descriptor, (error) => {
      barrier("P16-after");
      done(error);
    });
  };
  fs.writeSync = (descriptor, bytes, ...rest) => {
    if (!opened.has(descriptor)) return writeSync(descriptor, bytes, ...rest);
    barrier("P16-before");
    if (isDue("P16-torn")) {
      writeSync(descriptor, bytes, 0, Math.floor(bytes.length / 2));
      stop();
    }
    const written = writeSync(descriptor, bytes, ...rest);
    barrier("P16-after");
    return written;
  };
  syncBuiltinESMExports();
}
