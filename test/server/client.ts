// A client of the server in tests: requests in JSON, and frames over server-sent events.

import type { Frame } from "../../src/server/index.js";

/** A frame as it came: its cursor, and its content. */
export type Seen = Frame;

/** Asks for JSON. */
export async function ask(url: string, path: string, body?: unknown): Promise<{ status: number; body: never }> {
  const response = await fetch(new URL(path, url), {
    ...(body !== undefined && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, body: (await response.json()) as never };
}

/** Yields the frames of a session behind a cursor, until it is left. `own`: headers of the caller. */
export async function* framesOf(
  url: string,
  session: string,
  after = "",
  own: Readonly<Record<string, string>> = {},
): AsyncGenerator<Seen, void, void> {
  const stop = new AbortController();
  // A handler may be mounted at a path, which ends with a slash.
  const { pathname } = new URL(url);
  const response = await fetch(
    new URL(`${pathname.endsWith("/") ? pathname : "/"}sessions/${encodeURIComponent(session)}/events`, url),
    {
      headers: { ...own, ...(after !== "" && { "last-event-id": after }) },
      signal: stop.signal,
    },
  );
  if (!response.ok || response.body === null) throw new Error(await response.text());
  try {
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line): [string, string] => [line.split(": ")[0]!, line.slice(line.indexOf(": ") + 2)]),
        );
        text = text.slice(end + 2);
        const data = fields.get("data");
        if (data !== undefined) yield { cursor: fields.get("id") ?? "", ...(JSON.parse(data) as object) } as Seen;
      }
    }
  } finally {
    stop.abort();
  }
}

/** The frames behind a cursor, up to the end of a run. */
export async function untilEnd(
  url: string,
  session: string,
  after = "",
  own: Readonly<Record<string, string>> = {},
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for await (const frame of framesOf(url, session, after, own)) {
    seen.push(frame);
    if ("record" in frame && frame.record.type === "outcome") break;
  }
  return seen;
}
