// Time of the processor: for tests of how long something takes, on machines that are fast, slow or busy.

/** Milliseconds that the piece of work below takes on a machine of the usual speed. */
const usual = 12;

/** How much slower than usual the machine is right now; at least 1. */
function slowness(): number {
  const began = process.cpuUsage();
  let text = "";
  let sum = 0;
  for (let turn = 0; turn < 40_000; turn += 1) {
    text = turn % 1000 === 0 ? "" : text + "abcd";
    sum += text.charCodeAt(turn % (text.length + 1)) || 0;
  }
  const { user, system } = process.cpuUsage(began);
  return Math.max(1, (user + system + (sum < 0 ? 1 : 0)) / 1000 / usual);
}

/**
 * Starts a clock: it tells the milliseconds of this process's work since then, as they would be on a machine of the usual speed. Waiting
 * for a processor that others use is not counted.
 */
export function processorTime(): () => number {
  const before = slowness();
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / Math.max(before, slowness());
  };
}
