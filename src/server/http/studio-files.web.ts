// A runtime without files serves all but the studio.

import { problem } from "../answer/json-answer.js";

/** The answer to a request for a file of the page. */
export function studioFile(_name: string): Promise<Response> {
  return Promise.resolve(problem(404, "The studio is not served by this runtime. Serve it from Node."));
}
