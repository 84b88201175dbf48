// lastcall cassette check: whether a recording can be replayed, and what it has.

import type { Settings } from "../args/args.js";
import { count } from "../display/quantities.js";
import { visible } from "../display/visible.js";
import { surfaceOf, type Surroundings } from "../person/surface.js";

/** The exit code of a recording with a problem. */
const hasProblem = 2;

/**
 * Prints the requests of the recording, and its problems. Returns the exit code.
 * @throws LastcallError `configuration` if the file can't be read.
 */
export async function checkFile(settings: Settings, around: Surroundings, file: string): Promise<number> {
  const surface = await surfaceOf(settings, around);
  const { checkCassette } = await import("../../testing/index.js");
  const { ignore, labels, exchanges, problems } = await checkCassette(file);
  const { model, baseURL } = labels;
  const of = model === undefined ? "" : ` of ${model} at ${baseURL ?? "?"}`;
  surface.answer(
    visible(`${count(exchanges.length, "request")}${of}; not compared: ${ignore.join(", ") || "nothing"}`),
  );
  for (const [index, { method, path, status, end, pieces, time }] of exchanges.entries()) {
    const parts = `${count(pieces, "piece")} in ${String(time)} ms${end === "cut" ? ", cut" : ""}`;
    surface.answer(visible(`${String(index + 1)}  ${method} ${path}  ${String(status)}  ${parts}`));
  }
  for (const problem of problems) surface.say(visible(problem));
  if (problems.length === 0) surface.answer("It can be replayed, and no known key is in it.");
  return problems.length === 0 ? 0 : hasProblem;
}
