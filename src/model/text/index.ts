// Calls in the text of a reply: finding them in every dialect, and writing them in XML.

export { describeTools } from "./xml/describe-tools.js";
export { findCalls } from "./find-calls.js";
export { callOpens, textGate } from "./safe-prefix.js";
export { isCertain, streamCalls, type CallStream } from "./xml/stream-calls.js";
export { writeCall, writeResult } from "./xml/write-xml.js";
