// The route for a session as one page, which its reader keeps or passes on.

import { sessionPage } from "../page/session-page.js";
import { storedSession } from "../answer/asked.js";
import type { Route, Routed } from "../answer/routed.js";

/** The routes, by method and path. */
export const pageRoutes: Readonly<Record<string, Route>> = {
  "GET /sessions/:id/page": getPage,
};

/** The page, as a file to keep. It never runs at the address of the server. */
async function getPage({ hub, id, secrets }: Routed): Promise<Response> {
  await storedSession(hub, id);
  const page = await sessionPage({ store: hub.store, id, secrets });
  const name = `lastcall-${id.replaceAll(/[^\w.@-]+/g, "-").slice(0, 100)}.html`;
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "content-security-policy": "default-src 'none'; sandbox",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
