// Healing: turns a call as the model wrote it into a call that can be validated, or into a problem for the model.

export { readCall } from "./read-call.js";
