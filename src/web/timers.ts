// Timers with the methods of Node's, where the runtime gives a number for each.

interface Timer {
  /** Starts the time again. */
  refresh(): Timer;
  /** Node ends although the timer runs. Nothing ends here. */
  unref(): Timer;
}

type Work = (...values: readonly unknown[]) => void;

/** What stops each timer. */
const stops = new WeakMap<Timer, () => void>();

function timerOf(begin: () => () => void): Timer {
  let end = begin();
  const timer: Timer = {
    refresh() {
      end();
      end = begin();
      return timer;
    },
    unref: () => timer,
  };
  stops.set(timer, () => {
    end();
  });
  return timer;
}

export function setTimeout(work: Work, ms?: number, ...values: readonly unknown[]): Timer {
  return timerOf(() => {
    const native = globalThis.setTimeout(work, ms, ...values);
    return () => {
      globalThis.clearTimeout(native);
    };
  });
}

export function setInterval(work: Work, ms?: number): Timer {
  return timerOf(() => {
    const native = globalThis.setInterval(work, ms);
    return () => {
      globalThis.clearInterval(native);
    };
  });
}

export function clearTimeout(timer: Timer | undefined): void {
  if (timer !== undefined) stops.get(timer)?.();
}

export function clearInterval(timer: Timer | undefined): void {
  clearTimeout(timer);
}

interface Immediate {
  isDue: boolean;
}

/** The work for later turns of the event loop, in its order. */
const due: (() => void)[] = [];
let channel: Channel | undefined;

/** The part of a channel of messages that is used. The types of Node and of browsers differ. */
interface Channel {
  readonly port1: { onmessage: (() => void) | null };
  readonly port2: { postMessage(message: undefined): void };
}

/**
 * True in workerd. A request may not wait there for work that another request began, so requests share no queue.
 * A timer of 0 ms comes at once there.
 */
const isWorkerd =
  (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent ===
  "Cloudflare-Workers";

/** Does the work in a later turn of the event loop. A message comes at once; a timer waits for 4 ms in a browser. */
export function setImmediate(work: Work, ...values: readonly unknown[]): Immediate {
  const immediate: Immediate = { isDue: true };
  const unlessCleared = (): void => {
    if (immediate.isDue) work(...values);
  };
  if (isWorkerd) {
    globalThis.setTimeout(unlessCleared, 0);
    return immediate;
  }
  due.push(unlessCleared);
  if (typeof MessageChannel === "undefined") globalThis.setTimeout(next, 0);
  else {
    channel ??= listening();
    channel.port2.postMessage(undefined);
  }
  return immediate;
}

export function clearImmediate(immediate: Immediate | undefined): void {
  if (immediate !== undefined) immediate.isDue = false;
}

function listening(): Channel {
  const opened = new MessageChannel() as unknown as Channel;
  opened.port1.onmessage = next;
  return opened;
}

function next(): void {
  due.shift()?.();
}
