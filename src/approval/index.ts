// Asking an approver about calls, for agents and for the gate.

export { askFirst } from "./ask-first.js";
export { oneAtATime } from "./approve.js";
export { Grants } from "./grants.js";
export { opening, opensIfAllowed } from "./opens.js";
