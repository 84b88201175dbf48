// The files of the studio: a page that the package brings.

import { problem } from "../answer/json-answer.js";

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
  // A server without files, as on an edge network, serves all but the studio.
  const { readFile } = await import("node:fs/promises");
  const bytes = await readFile(new URL(addressOf(file))).catch((thrown: unknown) => thrown as NodeJS.ErrnoException);
  if (bytes instanceof Error) return missing(bytes);
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": type,
      "content-security-policy": policy,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

/**
 * The address of a file of the page, seen from `dist/chunks` and from `src/server/http`. It is put together from texts: a bundler takes
 * `new URL("a file", import.meta.url)` for a file of the program, and fails to find it.
 */
function addressOf(file: string): string {
  const here = import.meta.url;
  const folder = here.slice(0, here.lastIndexOf("/") + 1);
  return `${folder}${folder.endsWith("/src/server/http/") ? "../../../dist" : ".."}/studio/${file}`;
}

/** @throws the error, if it is not that the page is elsewhere. */
function missing(error: NodeJS.ErrnoException): Response {
  if (error.code !== "ENOENT") throw error;
  const advice = 'keep the package lastcall out of the bundle (Next: serverExternalPackages: ["lastcall"])';
  return problem(404, `The files of the studio are not beside this program: ${advice}.`);
}
