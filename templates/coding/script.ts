// Plays the model without a key: it mends slug.ts. Its first claim is refused, because the changelog says nothing yet.

import { call, scriptedModel } from "lastcall/testing";

// In one piece, the name would make the file a part of this module, which no tool of the agent may write.
const file = "slug" + ".ts";
const done = call("task_completion", { result: "slug() replaces every blank now." });

export const script = () =>
  scriptedModel([
    [call("read_file", { path: file })],
    [call("edit_file", { path: file, edits: [{ search: 'replace(" "', replace: 'replaceAll(" "' }] })],
    [done],
    [call("note_change", { line: "Titles of more than two words become an address without blanks." })],
    [done],
  ]);
