// A request whose path was taken apart, as a route gets it.

import type { SecretOptions } from "../../core/index.js";
import type { ChatVersion } from "../chat/ui-chunk.js";
import type { SpokenTools } from "../chat/reply-parts.js";
import type { Hub } from "../hub/hub.js";
import type { ChangesOf } from "../hub/changes-of.js";

/** The things that routes work with. */
export interface RouteSettings {
  readonly hub: Hub;
  /** The path under which the handler is mounted, without a slash at its end. */
  readonly path: string;
  /** The most bytes of a body. */
  readonly maxBody: number;
  readonly keepAlive: number | undefined;
  /** True if requests can only look. */
  readonly readOnly: boolean;
  /** Finds what sessions have changed; undefined if the server does not know. */
  readonly changesOf: ChangesOf | undefined;
  /** The secrets to leave out of pages and diffs, besides the known formats. */
  readonly secrets: SecretOptions | undefined;
  /** The form of chats. */
  readonly chat: { readonly version: ChatVersion; readonly spoken: SpokenTools };
}

/** One request, its path taken apart. */
export interface Routed extends RouteSettings {
  readonly request: Request;
  readonly url: URL;
  /** The id of the session that the path names; empty without one. */
  readonly id: string;
  /** The number of the record that the path names; empty without one. */
  readonly seq: string;
}

/** Answers one request. */
export type Route = (routed: Routed) => Promise<Response>;
