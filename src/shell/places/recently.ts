// Remembers the result of a look for some seconds: a run starts many commands one after the other.

/** Milliseconds for which a result counts. */
const freshness = 3000;

/** Makes a look that is not taken again for the same places within three seconds. `look` depends on them alone. */
export function recently<Places, Found>(look: (places: Places) => Promise<Found>): (places: Places) => Promise<Found> {
  const fresh = new Map<string, { readonly at: number; readonly found: Promise<Found> }>();
  return async (places) => {
    const now = performance.now();
    for (const [key, { at }] of fresh) if (now - at > freshness) fresh.delete(key);
    const key = JSON.stringify(places);
    const last = fresh.get(key) ?? { at: now, found: look(places) };
    fresh.set(key, last);
    return await last.found;
  };
}
