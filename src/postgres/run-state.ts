// The state of a session as its last lines tell it, for the index of sessions that wait.

/** The state of a session: a run is open, it waits for an answer or an approval, or its last run has ended with this status. */
export type SessionState = "open" | "waiting" | "completed" | "stopped" | "aborted" | "failed";

const types = ['"type":"outcome"', '"type":"input"', '"type":"resume"', '"type":"fork"'];

/** The state after these lines; undefined if they do not change it. */
export function stateAfter(lines: readonly string[]): SessionState | undefined {
  for (const line of lines.toReversed()) {
    if (!types.some((type) => line.includes(type))) continue;
    const record = read(line);
    if (record?.type === "input" || record?.type === "resume") return "open";
    if (record?.type === "outcome") return record.status;
    // The run of a fork goes on only if somebody asks, as an aborted one does.
    if (record?.type === "fork") return "aborted";
  }
  return undefined;
}

/** The words above may stand in a text of a record, too, so the line is read. Undefined for a line that is no record. */
function read(line: string): { readonly type?: unknown; readonly status?: SessionState } | undefined {
  try {
    return JSON.parse(line) as { readonly type?: unknown; readonly status?: SessionState };
  } catch {
    return undefined;
  }
}
