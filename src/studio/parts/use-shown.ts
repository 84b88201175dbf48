// The sessions that a view shows: they are followed as long as it is there.

import { useEffect, useMemo, useReducer } from "preact/hooks";
import type { Api } from "../data/server-api.js";
import { ShownSession } from "../data/shown-session.js";

/** Follows sessions as long as they are shown. Changes within one frame are drawn together. */
export function useShown<Ids extends readonly string[]>(
  api: Api,
  ids: readonly [...Ids],
): { readonly [At in keyof Ids]: ShownSession } {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const key = ids.join(" ");
  const shown = useMemo(() => ids.map((id) => new ShownSession(id, api)), [api, key]);
  useEffect(() => {
    const stop = new AbortController();
    let due = 0;
    const changed = (): void => {
      due ||= requestAnimationFrame(() => {
        due = 0;
        draw(undefined);
      });
    };
    for (const session of shown) void session.follow(changed, stop.signal);
    return () => {
      cancelAnimationFrame(due);
      stop.abort();
    };
  }, [shown]);
  return shown as unknown as { readonly [At in keyof Ids]: ShownSession };
}
