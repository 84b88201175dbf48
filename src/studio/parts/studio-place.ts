// Places: what the address says to show, behind its hash.

/** A place in the studio. */
export type Place =
  | { readonly view: "sessions" }
  | { readonly view: "stats" }
  | { readonly view: "session" | "replay"; readonly id: string }
  | { readonly view: "compare"; readonly id: string; readonly with: string };

/** The place that a hash names. */
export function placeIn(hash: string): Place {
  const [, first = "", id = "", second = "", other = ""] = hash.split("/");
  if (first === "stats") return { view: "stats" };
  if (first !== "s" || id === "") return { view: "sessions" };
  const decoded = decodeURIComponent(id);
  if (second === "vs" && other !== "") return { view: "compare", id: decoded, with: decodeURIComponent(other) };
  return { view: second === "replay" ? "replay" : "session", id: decoded };
}

/** The hash of a place. */
export function hrefOf(place: Place): string {
  if (place.view === "sessions") return "#/";
  if (place.view === "stats") return "#/stats";
  const session = `#/s/${encodeURIComponent(place.id)}`;
  if (place.view === "replay") return `${session}/replay`;
  return place.view === "compare" ? `${session}/vs/${encodeURIComponent(place.with)}` : session;
}
