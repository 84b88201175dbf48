// The part of node:events that the sources use, and opossum.

import { EventEmitter } from "events/events.js";

// opossum asks with `require`, and extends what it gets.
export { EventEmitter, EventEmitter as "module.exports" };
export default EventEmitter;

/** Node warns of many listeners. Nothing warns here. */
export function setMaxListeners(): void {
  return;
}
