// The routes for what a session has changed in its workspace: shown, taken back, made again.

import { redactor } from "../../core/index.js";
import { headOf } from "../../core/internal.js";
import { openSession } from "../../memory/index.js";
import { storedSession, wholeIn } from "../answer/asked.js";
import { BadRequest, bodyOf, json, textField } from "../answer/json-answer.js";
import type { Route, Routed } from "../answer/routed.js";
import type { SessionChanges } from "../hub/changes-of.js";

/** The routes, by method and path. They are there if the handler has `changesOf`. */
export const changesRoutes: Readonly<Record<string, Route>> = {
  "GET /sessions/:id/changes": getChanges,
  "POST /sessions/:id/undo": postUndo,
  "POST /sessions/:id/redo": postRedo,
};

/** The most paths of an answer. */
const mostPaths = 1000;
/** The most characters of a diff. */
const longestDiff = 200_000;

/** The paths that the session has changed, and the paths that were taken back. With `path`, also the diff of that path. */
async function getChanges(routed: Routed): Promise<Response> {
  const { id, url, secrets } = routed;
  const changes = await changesFor(routed);
  const after = url.searchParams.has("after") ? wholeIn(url, "after", 0, Number.MAX_SAFE_INTEGER) : undefined;
  const [changed, undone] = [changes.changed(id, { after }), changes.undone(id)];
  const path = url.searchParams.get("path");
  const diff = path === null ? undefined : redactor(secrets).text(changes.diff(id, { after, path }));
  return json(200, {
    paths: changed.slice(0, mostPaths),
    count: changed.length,
    undone: undone.slice(0, mostPaths),
    isAtWork: await changes.isAtWork(id),
    ...(diff !== undefined && { diff: headOf(diff, longestDiff), isCut: diff.length > longestDiff }),
  });
}

/** Takes back what the session has changed, or says what that would be. An undo that has begun goes on if the client hangs up. */
async function postUndo(routed: Routed): Promise<Response> {
  const { id, request, maxBody } = routed;
  const body = await bodyOf(request, { fields: ["after", "dryRun", "plan"], most: maxBody });
  const { after } = body;
  if (after !== undefined && !(Number.isSafeInteger(after) && Number(after) >= 0))
    throw new BadRequest(400, "after is no number of an iteration.");
  const terms = { ...termsIn(body), ...(typeof after === "number" && { after }) };
  return json(200, await (await changesFor(routed)).undo(id, terms));
}

/** Makes again what the last undo took back, or says what that would be. */
async function postRedo(routed: Routed): Promise<Response> {
  const { id, request, maxBody } = routed;
  const terms = termsIn(await bodyOf(request, { fields: ["dryRun", "plan"], most: maxBody }));
  return json(200, await (await changesFor(routed)).redo(id, terms));
}

function termsIn(body: Readonly<Record<string, unknown>>): { readonly dryRun: boolean; readonly plan?: string } {
  const { dryRun = false } = body;
  if (typeof dryRun !== "boolean") throw new BadRequest(400, "dryRun is neither true nor false.");
  const plan = textField(body, "plan");
  return { dryRun, ...(plan !== undefined && { plan }) };
}

/** @throws BadRequest if there is no such session, or its workspace is not known here. */
async function changesFor({ hub, id, changesOf }: Routed): Promise<SessionChanges> {
  await storedSession(hub, id);
  const about = (await openSession({ store: hub.store, id }).about()) ?? {};
  const changes = await changesOf?.({ id, about });
  if (changes === undefined) throw new BadRequest(404, `The folder in which ${id} worked is not known here.`);
  return changes;
}
