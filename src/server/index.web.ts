// The exports of lastcall/server where it serves no port of its own.

import { onlyOnNode } from "../web/index.js";

export { watchSession } from "./feed/feeds.js";
export { bearerTokens } from "./who/bearer-tokens.js";
export { signedCookie } from "./who/signed-cookie.js";
export { createHandler } from "./http/handler.js";
export { aguiMapper } from "./agui/agui-mapper.js";
export { aguiMessages } from "./agui/agui-thread.js";
export { readAguiInput } from "./agui/agui-input.js";
export { sessionPage } from "./page/session-page.js";

export const nodeHandler = onlyOnNode("nodeHandler");
export const serve = onlyOnNode("serve");
