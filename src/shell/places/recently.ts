// Remembers the result of a look for some seconds: a run starts many commands one after the other.

/** Milliseconds for which a result counts. */
const freshness = 3000;

/** Makes a look that is not taken again for the same places within three seconds. `look` depends on them alone. */
export function recently<Places, Found>(look: (places: Places) => Promise<Found>): (places: Places) => Promise<Found> {
  let last: { readonly key: string; readonly at: number; readonly found: Promise<Found> } | undefined;
  return async (places) => {
    const key = JSON.stringify(places);
    if (last?.key !== key || performance.now() - last.at > freshness)
      last = { key, at: performance.now(), found: look(places) };
    return await last.found;
  };
}
