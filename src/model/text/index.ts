// Calls in a reply's text: found in every dialect, and written in the XML one.

export { describeTools } from "./describe.js";
export { findCalls } from "./find-calls.js";
export { callOpens, textGate } from "./gate.js";
export { isCertain, liveCalls, type LiveCalls } from "./live.js";
export { writeCall, writeResult } from "./write.js";
