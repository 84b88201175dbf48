// The part of node:events that tests use. A browser lists no listeners, so the listeners of signals are counted as they come and go.

export { EventEmitter, once } from "events/events.js";

const kept = new WeakMap();

const { addEventListener, removeEventListener } = EventTarget.prototype;

EventTarget.prototype.addEventListener = function (type, listener, options) {
  if (this instanceof AbortSignal && listener) {
    const listeners = kept.get(this) ?? kept.set(this, new Map()).get(this);
    listeners.set(listener, type);
    const { once: isOnce } = typeof options === "object" && options !== null ? options : {};
    // The event comes once to a signal.
    if (isOnce) addEventListener.call(this, type, () => listeners.delete(listener), { once: true });
  }
  return addEventListener.call(this, type, listener, options);
};

EventTarget.prototype.removeEventListener = function (type, listener, options) {
  kept.get(this)?.delete(listener);
  return removeEventListener.call(this, type, listener, options);
};

export const getEventListeners = (target, type) =>
  [...(kept.get(target) ?? [])].flatMap(([listener, of]) => (of === type ? [listener] : []));
