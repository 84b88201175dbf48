// The exports of lastcall/checks where there are no processes.

import { onlyOnNode } from "../web/index.js";

export { all, any, predicate } from "./combine.js";
export { judge } from "./judge.js";

export const command = onlyOnNode("command");
export const commandHooks = onlyOnNode("commandHooks");
export const postEdit = onlyOnNode("postEdit");
