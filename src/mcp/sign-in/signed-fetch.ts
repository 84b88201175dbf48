// Signed fetch: the fetch function of one person at a server. It brings the person's token, and takes the token out of each answer.

import { loadClient } from "../connect/package.js";
import { SignInNeeded } from "../connect/sign-in-needed.js";
import type { Grants, Seat } from "./server-grants.js";

/** The mark in the place of a token. */
const mark = "[redacted: sign-in token]";

/** The number of past tokens of a person that are looked for in answers. */
const mostTokens = 20;

/**
 * Makes the fetch function. Requests to other origins get no token. If the server refuses a token, the token is refreshed once, and the
 * request is sent again: the server did not look at it. Then it rejects with `SignInNeeded`.
 */
export function signedFetch(grants: Grants, seat: Seat): typeof fetch {
  const tokens: string[] = [];
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== seat.url.origin) return fetch(input, init);
    // A request whose body is a stream is sent from a copy, since it may be sent again.
    const isOnce = input instanceof Request || init?.body instanceof ReadableStream;
    const given = isOnce ? new Request(input, init) : undefined;
    const send = (token: string | undefined): Promise<Response> => {
      const headers = new Headers(given?.headers ?? init?.headers);
      if (token !== undefined) {
        headers.set("authorization", `Bearer ${token}`);
        if (!tokens.includes(token)) tokens.unshift(token);
        tokens.splice(mostTokens);
      }
      return given === undefined ? fetch(input, { ...init, headers }) : fetch(given.clone(), { headers });
    };
    let token = await grants.tokenOf(seat);
    // An MCP server says by itself what needs no sign-in. An API is called as its person, or not at all.
    if (token === undefined && seat.what === "API") {
      const isStepUp = (await grants.of(seat)) !== undefined;
      throw new SignInNeeded({ scope: undefined, metadata: undefined, isStepUp });
    }
    let answer = await send(token);
    if (answer.status === 401 && token !== undefined) {
      token = await grants.renew(seat, token);
      if (token !== undefined) {
        await answer.body?.cancel();
        answer = await send(token);
      }
    }
    await expectSignedIn(answer, token, tokens);
    return withoutTokens(answer, tokens);
  };
}

/** @throws SignInNeeded if the server refuses the request for want of a sign-in, or of rights. */
async function expectSignedIn(answer: Response, token: string | undefined, tokens: readonly string[]): Promise<void> {
  if (answer.status !== 401 && answer.status !== 403) return;
  const { extractWWWAuthenticateParams } = await loadClient();
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(answer);
  const isStepUp = answer.status === 403;
  if (isStepUp && error !== "insufficient_scope") return;
  await answer.body?.cancel();
  const clean = (text: string | undefined): string | undefined => text && withoutAll(text, tokens);
  const metadata = clean(resourceMetadataUrl?.href);
  throw new SignInNeeded({ scope: clean(scope), metadata, isStepUp: isStepUp && token !== undefined });
}

function withoutAll(text: string, tokens: readonly string[]): string {
  return tokens.reduce((left, token) => left.replaceAll(token, mark), text);
}

/** The answer without the tokens, if the server sent one back. */
function withoutTokens(answer: Response, tokens: readonly string[]): Response {
  if (answer.body === null || tokens.length === 0) return answer;
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers].map(([name, value]) => [name, withoutAll(value, tokens)]));
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  // Latin 1 keeps each byte: a token is plain ASCII, and the rest stays as it came.
  const body = answer.body.pipeThrough(replacing(tokens));
  const clean = new Response(body, { status, statusText: withoutAll(statusText, tokens), headers });
  Object.defineProperty(clean, "url", { value: answer.url });
  return clean;
}

function replacing(tokens: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  let held = "";
  return new TransformStream({
    transform(piece, controller) {
      const text = withoutAll(held + Buffer.from(piece).toString("latin1"), tokens);
      const keep = Math.max(...tokens.map((token) => openEnd(text, token)));
      held = text.slice(text.length - keep);
      if (keep < text.length) controller.enqueue(Buffer.from(text.slice(0, text.length - keep), "latin1"));
    },
    flush(controller) {
      if (held !== "") controller.enqueue(Buffer.from(held, "latin1"));
    },
  });
}

/** The number of characters at the end of the text with which the token may begin. */
function openEnd(text: string, token: string): number {
  for (let length = Math.min(token.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(token.slice(0, length))) return length;
  return 0;
}
