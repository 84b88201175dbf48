// The files of the studio: a page that the package brings.

import { problem } from "../answer/json-answer.js";
import { studioText, withoutFiles } from "../page/studio-text.js";

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
};

/** The page loads its own files, and asks its own server. It has no pictures, so texts of a model can't call anywhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The answer to a request for a file of the page. */
export async function studioFile(name: string): Promise<Response> {
  const file = name === "" ? "index.html" : name;
  const type = Object.hasOwn(types, file) ? types[file] : undefined;
  if (type === undefined) return problem(404, "There is nothing at this path.");
  const bytes = await studioText(file);
  if (bytes === undefined) return problem(404, withoutFiles);
  return new Response(bytes, {
    headers: {
      "content-type": type,
      "content-security-policy": policy,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
