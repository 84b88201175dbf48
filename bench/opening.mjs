// Opening: makes a session several times as long, and measures the time to open it in fresh processes.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { replay } from "lastcall";
import { fileStore, openSession, windowed } from "lastcall/memory";
import { median } from "./figures/statistics.mjs";

/** Opens a session: reads it, checks each line, makes the prompt and computes the state. Returns the milliseconds and the lease. */
export async function open(store, id) {
  const began = performance.now();
  const lease = await openSession({ store, id }).lease();
  const memory = windowed({ window: 32_000 })({ version: 1, id, records: lease.records });
  replay(memory.records);
  return { took: performance.now() - began, lease };
}

/** The records as they follow themselves in the same session: with the next numbers, in a run and a life of their own. */
function following(records, time) {
  const life = records[0].life;
  const shift = records.length * time;
  return records.map((record) => {
    const { seq, run, before, ...rest } = JSON.parse(JSON.stringify(record).replaceAll(`/${life}/`, `/life0${time}/`));
    return {
      ...rest,
      ...(run !== undefined && { run: run + time, life: `life0${time}` }),
      ...(before !== undefined && { before: before + shift }),
      seq: seq + shift,
    };
  });
}

/** Stores the session `times` times in a row under another id, and returns the median time to open that, in milliseconds. */
export async function opening(folder, records, times) {
  const lease = await openSession({ store: fileStore(folder), id: "long" }).lease();
  for (let time = 0; time < times; time += 1) {
    for (const record of following(records, time)) await lease.append(record);
  }
  await lease.release();
  const program = fileURLToPath(import.meta.url);
  const measure = () => Number(execFileSync(process.execPath, [program, folder], { encoding: "utf8" }));
  return median(Array.from({ length: 5 }, measure));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { took, lease } = await open(fileStore(process.argv[2]), "long");
  await lease.release();
  console.log(took);
}
