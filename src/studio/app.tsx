// The studio: a page over the sessions of a server.

import { render } from "preact";
import { ServerApi } from "./data/server-api.js";
import { Studio } from "./view/studio-frame.js";

const tokenKey = "lastcall-token";

/** Takes the token out of the address, so that it is neither seen nor bookmarked. The browser keeps it for this server. */
function takeToken(): string | undefined {
  const [, token] = /[#&]token=([\w-]+)/.exec(location.hash) ?? [];
  if (token !== undefined) {
    localStorage.setItem(tokenKey, token);
    const rest = location.hash.replace(/[#&]token=[\w-]+/, "").replace(/^#?/, "#");
    history.replaceState(undefined, "", rest === "#" ? "#/" : rest);
  }
  return localStorage.getItem(tokenKey) ?? undefined;
}

const root = document.getElementById("root");
if (root !== null) {
  const api = new ServerApi(new URL("..", location.href).pathname, takeToken(), (url, init) => fetch(url, init));
  render(<Studio api={api} moved={takeToken} />, root);
}
