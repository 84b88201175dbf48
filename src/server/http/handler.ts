// createHandler: a fetch function that shows the sessions of a host and takes inputs for them.

import { LastcallError, redactor, type Budget, type SecretOptions } from "../../core/index.js";
import { atCaller, checkOptions, portKinds, recordOf, listOf, type OptionKinds, explain } from "../../core/internal.js";
import { hostHere } from "../../host/host-parts.js";
import type { Host, HostAgent, HostCloseOptions } from "../../host/index.js";
import { openSession, type Store } from "../../memory/index.js";
import { Hub, type TermsOf } from "../hub/hub.js";
import type { ChangesOf } from "../hub/changes-of.js";
import { withoutPlaces } from "../hub/without-places.js";
import { Admission, type AdmissionOptions } from "./admission.js";
import { BadRequest, problem, problemOf } from "../answer/json-answer.js";
import { guard, type GuardOptions } from "./guard.js";
import { Access, type AccessOptions } from "../who/access.js";
import { healthOf } from "./health.js";
import { chatSettings, type ChatOptions } from "../chat/chat-options.js";
import { changesRoutes } from "./changes-routes.js";
import { chatRoutes, chatStreaming } from "./chat-routes.js";
import type { Route, RouteSettings } from "../answer/routed.js";
import { routes as sessionRoutes, streaming as sessionStreaming } from "./routes.js";
import { callbackPath, signInAnswer, type SignInEnds } from "./sign-in-route.js";
import { statsRoutes } from "./stats-routes.js";
import { pageRoutes } from "./page-routes.js";
import { studioFile } from "./studio-files.js";

/** The options of `createHandler`. */
export interface HandlerOptions extends GuardOptions, AccessOptions, AdmissionOptions {
  /**
   * The host that runs the agents, in this process or on many machines. Its owner closes it. Default: the handler makes a host of this
   * process from `agents` and `store`, which goes on with what a dead process left unless the handler is `readOnly`.
   */
  readonly host?: Host | undefined;
  /** Without `host`: the agents by name. A new session that names none gets the first. */
  readonly agents?: Readonly<Record<string, HostAgent>> | undefined;
  /** Without `host`: the store. */
  readonly store?: Store | undefined;
  /**
   * Without `host`: limits that the runs draw from, such as `sharedLimits({ maxCost: 5, per: "principal", every: "day" })` for each person
   * of `authenticate`. Default: none.
   */
  readonly budget?: Budget | undefined;
  /**
   * The priority and the tenant of the inputs of a session, for the queue of the host. It gets the id of the session, and may throw to
   * refuse the input. Default: none, so with a limit for each tenant, all sessions together are one tenant.
   */
  readonly termsOf?: TermsOf | undefined;
  /**
   * Finds what a session has changed in its workspace, so that it can be looked at and taken back. For agents that work in one folder:
   * `() => changes`, with the `changes` of `workspaceChanges`. Default: nothing is known of workspaces, and the routes `changes`, `undo`
   * and `redo` of a session are not there.
   */
  readonly changesOf?: ChangesOf | undefined;
  /** The secrets to leave out of pages of sessions and of diffs, besides the known formats. Default: none. */
  readonly secrets?: SecretOptions | undefined;
  /**
   * The sign-ins of the agents' tools at other servers: `signIns` of `lastcall/mcp`. People are sent back to `oauth/callback`, which ends
   * the sign-in and answers the run that waits. A browser brings no token there, so the token of the handler is not asked for. With
   * `authenticate` the browser has to say who it is, with a cookie for example: only the person who was asked may end a sign-in. Default:
   * there is no such route.
   */
  readonly signIn?: SignInEnds | undefined;
  /** The path under which the handler is mounted, such as `/agents`. Default: the root. */
  readonly path?: string | undefined;
  /** The most bytes of the body of a request. Default 1,048,576. */
  readonly maxBody?: number | undefined;
  /** Milliseconds between two signs of life on an idle stream. Default 15,000. */
  readonly keepAlive?: number | undefined;
  /** True to show the studio, a page over the sessions, at `studio/`. Its files need no token; its requests do. Default false. */
  readonly studio?: boolean | undefined;
  /** The form of chats for pages that use `useChat` of the AI SDK. Default: the form of its version 7. */
  readonly chat?: ChatOptions | undefined;
}

type Routes = Readonly<Record<string, Route>>;

const usualRoutes: Routes = { ...sessionRoutes, ...statsRoutes, ...pageRoutes, ...chatRoutes };
const allRoutes: Routes = { ...usualRoutes, ...changesRoutes };

/** The routes of a handler with these options. */
function routesOf({ changesOf }: Pick<HandlerOptions, "changesOf">): Routes {
  return changesOf === undefined ? usualRoutes : allRoutes;
}

/** The routes whose answers are streams of events: they stay open, so they are counted. */
const streaming: ReadonlySet<string> = new Set([...sessionStreaming, ...chatStreaming]);

const handlerOptions = {
  host: portKinds.host,
  agents: recordOf(portKinds.agent),
  store: portKinds.store,
  budget: portKinds.budget,
  termsOf: "function",
  changesOf: "function",
  secrets: "object",
  path: "text",
  maxBody: "number",
  maxRequests: "number",
  maxStreams: "number",
  keepAlive: "number",
  studio: "flag",
  chat: "object",
  signIn: "object",
  hosts: listOf("text"),
  origins: listOf("text"),
  token: "text",
  authenticate: "function",
  unowned: "text",
  mayRead: "function",
  readOnly: "flag",
} satisfies OptionKinds<HandlerOptions>;

/** A fetch function over a host. */
export interface Handler {
  (request: Request): Promise<Response>;
  /** The host that it was given, or the host that it made. */
  readonly host: Host;
  /** True if the address, with its path alone or as a whole, has a route of the handler. */
  takes(url: string): boolean;
  /**
   * Takes no inputs any more, and ends the streams that wait for a run. A host that the handler made is closed as `host.close` does, and
   * the sessions that it returns are returned.
   */
  close(options?: HostCloseOptions): Promise<readonly string[]>;
}

/**
 * Makes a fetch function of a host, for any server and framework that takes one. Its routes are in the guide, "Behind HTTP". A client that
 * hangs up ends its own stream, and no run.
 * @throws LastcallError `configuration` for a wrong option, and unless it has either a host or agents and a store.
 */
export function createHandler(options: HandlerOptions): Handler {
  return atCaller(createHandler, () => {
    checkOptions("createHandler", options, handlerOptions);
    const own = options.host === undefined ? ownHost(options) : undefined;
    const host = own ?? hostIn(options);
    expectAccess(options);
    // Unusable secrets are refused now, and not with the first page.
    redactor(options.secrets);
    expectSignIn(options);
    const hub = new Hub(host, options.termsOf);
    const close: Handler["close"] = async (closing) => {
      hub.close();
      return (await own?.close(closing)) ?? [];
    };
    return Object.assign(fetchOver(hub, options), { host, close, takes: takesOf(options) });
  });
}

/** @throws LastcallError `configuration` for rules about principals without any. */
function expectAccess({ authenticate, unowned, mayRead }: HandlerOptions): void {
  if (authenticate !== undefined || (unowned === undefined && mayRead === undefined)) return;
  throw wrong("createHandler takes unowned and mayRead with authenticate only: without it all callers are alike.");
}

/** @throws LastcallError `configuration` for sign-ins whose people would be sent back elsewhere, and on a handler that takes no answers. */
function expectSignIn({ signIn, readOnly = false }: HandlerOptions): void {
  if (signIn === undefined) return;
  if (typeof signIn.complete !== "function" || typeof signIn.redirect !== "string")
    throw wrong("createHandler takes signIn as signIns of lastcall/mcp makes it.");
  if (readOnly) throw wrong("createHandler takes no signIn with readOnly: nobody could answer the run that waits.");
  if (!URL.parse(signIn.redirect)?.pathname.endsWith(callbackPath))
    throw wrong(`createHandler serves the path ${callbackPath}, and signIn sends people back to ${signIn.redirect}.`);
}

/** @throws LastcallError `configuration` for agents or a store beside the host. */
function hostIn({ host, agents, store, budget }: HandlerOptions): Host {
  if (host === undefined) throw wrong("createHandler needs a host, or agents and a store.");
  if (budget !== undefined) throw wrong("createHandler takes budget without a host only: give it to the host.");
  if (agents === undefined && store === undefined) return host;
  throw wrong("createHandler takes a host, or agents and a store: a host has its own.");
}

/** @throws LastcallError `configuration` without agents or a store, and with terms that no queue fulfils. */
function ownHost({ agents, store, budget, termsOf, readOnly = false }: HandlerOptions): Host {
  if (agents === undefined || store === undefined)
    throw wrong("createHandler needs a host, or agents and a store: agents: { name: createAgent(...) }, store.");
  if (termsOf !== undefined) throw wrong("createHandler takes termsOf with a host only: its own host has no queue.");
  const { host, goOn } = hostHere({ agents, store, budget });
  if (!readOnly)
    goOn().catch((thrown: unknown) => {
      console.warn(`lastcall: the sessions that were left could not go on: ${explain(thrown)}`);
    });
  return host;
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}

function fetchOver(hub: Hub, options: HandlerOptions): (request: Request) => Promise<Response> {
  const { path = "", maxBody = 1_048_576, keepAlive, readOnly = false, studio = false } = options;
  const { admit, admitLink, pageRefusal } = guard(options);
  const access = new Access(hub.store, options);
  const prefix = path.replace(/\/$/, "");
  const settings: Settings = {
    hub,
    path: prefix,
    maxBody,
    keepAlive,
    readOnly,
    changesOf: options.changesOf,
    secrets: options.secrets,
    chat: chatSettings(options.chat),
    admission: new Admission(options),
  };
  const health = healthOf(settings);
  return async (request) => {
    const url = new URL(request.url);
    const isHealth = request.method === "GET" && url.pathname.startsWith(`${prefix}/health/`);
    const healthAnswer = isHealth ? health(url.pathname.slice(prefix.length)) : undefined;
    if (healthAnswer !== undefined) return healthAnswer;
    const isPage = studio && url.pathname.startsWith(`${prefix}/studio/`);
    const within = url.pathname.slice(prefix.length);
    if (isPage) return (await pageRefusal(request)) ?? studioFile(within.slice("/studio/".length));
    const signIn = request.method === "GET" && within === callbackPath ? options.signIn : undefined;
    const sender = await (signIn === undefined ? admit(request) : admitLink(request));
    if (!("principal" in sender)) return sender;
    if (!url.pathname.startsWith(`${prefix}/`)) return problem(404, "There is nothing at this path.");
    const { principal } = sender;
    const own = principal === undefined ? settings : { ...settings, hub: hub.as(principal, access) };
    if (signIn !== undefined)
      return hub.isClosed ? closing() : signInAnswer({ hub: own.hub, signIn, principal, search: url.search });
    return answer(request, url, within, own);
  };
}

interface Settings extends RouteSettings {
  readonly admission: Admission;
}

function takesOf({ path = "", studio = false, changesOf, signIn }: HandlerOptions): Handler["takes"] {
  const prefix = path.replace(/\/$/, "");
  const names = new Set(Object.keys(routesOf({ changesOf })).map((key) => key.slice(key.indexOf("/") + 1)));
  return (url) => {
    const { pathname } = new URL(url, "http://localhost");
    if (!pathname.startsWith(`${prefix}/`)) return false;
    const within = pathname.slice(prefix.length);
    if (within === callbackPath) return signIn !== undefined;
    return names.has(routeOf(within)) || within.startsWith("/health/") || (studio && within.startsWith("/studio/"));
  };
}

/** The name of the route of a path, as `sessions/:id/runs`. */
function routeOf(path: string): string {
  const [, first = "", raw, part, seq, ...rest] = path.split("/");
  const named = [raw === undefined ? [] : [":id"], part ?? [], seq === undefined ? [] : [":seq"], rest];
  return [first, ...named.flat()].join("/");
}

async function answer(request: Request, url: URL, path: string, settings: Settings): Promise<Response> {
  const [, , raw, , seq] = path.split("/");
  const name = routeOf(path);
  const routes = routesOf(settings);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const route = Object.hasOwn(routes, `${method} /${name}`) ? routes[`${method} /${name}`] : undefined;
  if (route === undefined) return notFound(name, routes);
  if (method === "POST" && settings.hub.isClosed) return closing();
  const { admission } = settings;
  const refused = method === "POST" ? admission.post() : undefined;
  if (refused !== undefined) return refused;
  try {
    const id = raw === undefined ? "" : await sessionIn(raw, name, settings, method);
    const made = (): Promise<Response> => route({ ...settings, request, url, id, seq: seq ?? "" });
    return await (streaming.has(`${method} /${name}`) ? admission.stream(made) : made());
  } catch (thrown) {
    // A body may have come after the close began.
    if (settings.hub.isClosed && thrown instanceof LastcallError && thrown.code === "configuration") return closing();
    return problemOf(thrown, (message) => withoutPlaces(message, settings.hub.store));
  }
}

function closing(): Response {
  return problem(503, "The server closes: ask again in a moment.");
}

function notFound(name: string, routes: Routes): Response {
  const methods = Object.keys(routes).flatMap((key) => (key.endsWith(` /${name}`) ? [key.split(" ")[0] ?? ""] : []));
  if (methods.length === 0) return problem(404, "There is nothing at this path.");
  const refused = problem(405, `This path takes ${methods.join(", ")}.`);
  refused.headers.set("allow", methods.join(", "));
  return refused;
}

/**
 * The session that the path names, or the agent.
 * @throws BadRequest for an id that no session can have, and if the caller may only look at the session.
 */
async function sessionIn(raw: string, name: string, { hub }: Settings, method: string): Promise<string> {
  const named = idOf(raw, hub);
  if (name.startsWith("agui/")) return named;
  const id = await hub.idOf(named);
  // A reader may fork, and a rule of the agent may let a reader approve.
  const isForReaders = name.endsWith("/fork") || name.endsWith("/approvals");
  if (method !== "GET" && !isForReaders && (await hub.isOnlySeen(id)))
    throw new BadRequest(403, `The session ${named} is another's: you may look at it, and fork it.`);
  return id;
}

/** @throws BadRequest for an id that no session can have. */
function idOf(raw: string, { store }: Hub): string {
  try {
    return openSession({ store, id: decodeURIComponent(raw) }).id;
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}
