// Time as the processor spent it on this process, so that what else the machine does doesn't count.

/** Starts to measure. Each call of what it returns gives the milliseconds since. */
export function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
