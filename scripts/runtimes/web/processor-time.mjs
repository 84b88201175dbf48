// In place of test/processor-time.ts: a browser and workerd do not tell the time of their processor, and a page's own clock depends on the load
// of the machine. A test of time judges the answer alone there, and is counted.

export function processorTime() {
  globalThis.untimedInTest = true;
  return () => 0;
}
