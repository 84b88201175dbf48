// lastcall/memory: the journal of a session and the prompt made from it.

export { transcript } from "./transcript.js";
