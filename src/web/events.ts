// The part of node:events that the sources use, and opossum.

import { EventEmitter } from "events/events.js";

export { EventEmitter };
export default EventEmitter;

/** Node warns of many listeners. Nothing warns here. */
export function setMaxListeners(): void {
  return;
}
