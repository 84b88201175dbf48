// Healing: a call as it was written becomes a call that can be judged, or words that say why it can't.

export { readCall } from "./read-call.js";
