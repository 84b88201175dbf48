// Watches the process while cases run: unhandled rejections, warnings, memory growth and changed prototypes.

import { setImmediate as turn } from "node:timers/promises";

const rejections = [];
const warnings = [];
let listening = 0;
const onRejection = (reason) => rejections.push(reason);
const onWarning = (warning) => warnings.push(warning);

/** Starts listening for the first watcher; `unlisten` stops after the last one. */
function listen() {
  listening += 1;
  if (listening > 1) return;
  process.on("unhandledRejection", onRejection);
  process.on("warning", onWarning);
}

function unlisten() {
  listening -= 1;
  if (listening > 0) return;
  process.off("unhandledRejection", onRejection);
  process.off("warning", onWarning);
}

/**
 * Watches the process until `end`, which returns the observations. Cases that run at the same time observe the same process.
 * `growth` is the largest growth of the resident set, in bytes.
 */
export function watchProcess() {
  listen();
  const before = { rejections: rejections.length, warnings: warnings.length, keys: prototypeKeys() };
  const start = process.memoryUsage.rss();
  let highest = start;
  const look = () => {
    highest = Math.max(highest, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  return {
    async end() {
      // Unhandled rejections are reported one turn later.
      await turn();
      await turn();
      clearInterval(timer);
      look();
      unlisten();
      return {
        rejections: rejections.slice(before.rejections),
        warnings: warnings.slice(before.warnings),
        growth: highest - start,
        prototypeChange: prototypeChange(before.keys),
      };
    },
  };
}

function prototypeKeys() {
  return Reflect.ownKeys(Object.prototype).length;
}

function prototypeChange(keys) {
  const plain = {};
  const found = ["polluted", "isAdmin", "x"].find((key) => plain[key] !== undefined);
  if (found !== undefined) return `every object has "${found}"`;
  return prototypeKeys() === keys ? undefined : "Object.prototype has other keys";
}
