// createHandler: a fetch function that shows the sessions of a hub and takes inputs for them.

import { atCaller, checkOptions, explain } from "../../core/internal.js";
import { openSession } from "../../memory/index.js";
import type { Hub } from "../hub/hub.js";
import { withoutPlaces } from "../hub/without-places.js";
import { Admission, type AdmissionOptions } from "./admission.js";
import { BadRequest, problem, problemOf } from "./json-answer.js";
import { guard, type GuardOptions } from "./guard.js";
import { healthOf } from "./health.js";
import { chatSettings, type ChatOptions } from "../chat/chat-options.js";
import { chatRoutes, chatStreaming } from "./chat-routes.js";
import type { Route, RouteSettings } from "./routed.js";
import { routes as sessionRoutes, streaming as sessionStreaming } from "./routes.js";
import { studioFile } from "./studio-files.js";

/** The options of `createHandler`. */
export interface HandlerOptions extends GuardOptions, AdmissionOptions {
  readonly hub: Hub;
  /** The path under which the handler is mounted, such as `/agents`. Default: the root. */
  readonly path?: string | undefined;
  /** The most bytes of the body of a request. Default 1,048,576. */
  readonly maxBody?: number | undefined;
  /** Milliseconds between two signs of life on an idle stream. Default 15,000. */
  readonly keepAlive?: number | undefined;
  /** True to show the studio, a page over the sessions, at `studio/`. Its files need no token; its requests do. Default false. */
  readonly studio?: boolean | undefined;
  /** The form of chats for pages that use `useChat` of the AI SDK. Default: that of its version 7. */
  readonly chat?: ChatOptions | undefined;
}

const routes: Readonly<Record<string, Route>> = { ...sessionRoutes, ...chatRoutes };
/** The routes whose answers are streams of events: they stay open, so they are counted. */
const streaming: ReadonlySet<string> = new Set([...sessionStreaming, ...chatStreaming]);

const handlerOptions = {
  hub: true,
  path: true,
  maxBody: true,
  maxRequests: true,
  maxStreams: true,
  keepAlive: true,
  studio: true,
  chat: true,
  hosts: true,
  origins: true,
  token: true,
  authorize: true,
  readOnly: true,
} satisfies Record<keyof HandlerOptions, true>;

/**
 * Makes a fetch function of a hub, for any server and framework that takes one. Its routes are in the guide, "Behind HTTP". A client that
 * hangs up ends its own stream, and no run.
 * @throws LastcallError `configuration` for a wrong option.
 */
export function createHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  return atCaller(createHandler, () => {
    checkOptions("createHandler", options, handlerOptions);
    const { hub, path = "", maxBody = 1_048_576, keepAlive, readOnly = false, studio = false } = options;
    const { refusal, pageRefusal } = guard(options);
    const settings: Settings = {
      hub,
      maxBody,
      keepAlive,
      readOnly,
      chat: chatSettings(options.chat),
      admission: new Admission(options),
    };
    const prefix = path.replace(/\/$/, "");
    const health = healthOf(hub);
    return async (request) => {
      const url = new URL(request.url);
      const isHealth = request.method === "GET" && url.pathname.startsWith(`${prefix}/health/`);
      const healthAnswer = isHealth ? health(url.pathname.slice(prefix.length)) : undefined;
      if (healthAnswer !== undefined) return healthAnswer;
      const isPage = studio && url.pathname.startsWith(`${prefix}/studio/`);
      const refused = await (isPage ? pageRefusal : refusal)(request);
      if (refused !== undefined) return refused;
      if (!url.pathname.startsWith(`${prefix}/`)) return problem(404, "There is nothing at this path.");
      const within = url.pathname.slice(prefix.length);
      return isPage ? studioFile(within.slice("/studio/".length)) : answer(request, url, within, settings);
    };
  });
}

interface Settings extends RouteSettings {
  readonly admission: Admission;
}

async function answer(request: Request, url: URL, path: string, settings: Settings): Promise<Response> {
  const [, first = "", raw, part, seq, ...rest] = path.split("/");
  const named = [raw === undefined ? [] : [":id"], part ?? [], seq === undefined ? [] : [":seq"], rest];
  const name = [first, ...named.flat()].join("/");
  const method = request.method === "HEAD" ? "GET" : request.method;
  const route = Object.hasOwn(routes, `${method} /${name}`) ? routes[`${method} /${name}`] : undefined;
  if (route === undefined) return notFound(name);
  if (method === "POST" && settings.hub.isClosed) return problem(503, "The server closes: ask again in a moment.");
  const { admission } = settings;
  const refused = method === "POST" ? admission.post() : undefined;
  if (refused !== undefined) return refused;
  try {
    const id = raw === undefined ? "" : idOf(raw, settings.hub);
    const made = (): Promise<Response> => route({ ...settings, request, url, id, seq: seq ?? "" });
    return await (streaming.has(`${method} /${name}`) ? admission.stream(made) : made());
  } catch (thrown) {
    return problemOf(thrown, (message) => withoutPlaces(message, settings.hub.store));
  }
}

function notFound(name: string): Response {
  const methods = Object.keys(routes).flatMap((key) => (key.endsWith(` /${name}`) ? [key.split(" ")[0] ?? ""] : []));
  if (methods.length === 0) return problem(404, "There is nothing at this path.");
  const refused = problem(405, `This path takes ${methods.join(", ")}.`);
  refused.headers.set("allow", methods.join(", "));
  return refused;
}

/** @throws BadRequest for an id that no session can have. */
function idOf(raw: string, { store }: Hub): string {
  try {
    return openSession({ store, id: decodeURIComponent(raw) }).id;
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}
