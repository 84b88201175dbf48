// Calls in a reply's text: found in every dialect, and written in the XML one.

export { describeTools } from "./xml/describe-tools.js";
export { findCalls } from "./find-calls.js";
export { callOpens, textGate } from "./safe-prefix.js";
export { isCertain, liveCalls, type LiveCalls } from "./xml/stream-calls.js";
export { writeCall, writeResult } from "./xml/write-xml.js";
