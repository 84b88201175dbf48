// Callers with tokens of a list: each is its principal, over HTTP.

import { expect, test } from "vitest";
import { bearerTokens } from "../../../src/server/index.js";
import { runFor, servedTo } from "./served.js";

const ann = { id: "ann", name: "Ann", tenant: "north" };
const ben = { id: "ann", tenant: "south" };
const tokens = [
  { token: "first-token-of-ann-4711", principal: ann },
  { token: "next-token-of-ann-4712==", principal: ann },
  { token: "token-of-another-ann-42", principal: ben },
];
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

test("a caller with a token is its principal, with the old and with the new token, and two tenants see nothing of each other", async () => {
  const served = await servedTo(bearerTokens(tokens));
  const { session, by } = await runFor(served, bearer(tokens[0]!.token));
  expect(by).toEqual(ann);
  const look = async (token: string): Promise<number> =>
    (await fetch(new URL(`/sessions/${session}`, served.url), { headers: bearer(token) })).status;
  expect(await look(tokens[1]!.token)).toBe(200);
  expect(await look(tokens[2]!.token)).toBe(404);
});

test.each([
  ["no header", {}],
  ["another token", bearer("first-token-of-ann-4712")],
  ["the beginning of a token", bearer("first-token-of-ann-471")],
  ["a token and more", bearer("first-token-of-ann-47111")],
  ["two tokens", bearer("first-token-of-ann-4711 next-token-of-ann-4712==")],
  ["no token", bearer("")],
  ["another scheme", { authorization: "Basic first-token-of-ann-4711" }],
  ["the bare token", { authorization: "first-token-of-ann-4711" }],
  ["the token in a cookie", { cookie: "token=first-token-of-ann-4711" }],
])("a caller with %s is nobody, and is not told why", async (_what, headers) => {
  const served = await servedTo(bearerTokens(tokens));
  const answer = await served.send(headers, "Go.");
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({ error: "The request is not authorized." });
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expect(await served.store.list()).toEqual([]);
});

test("the scheme is read in any case", async () => {
  const served = await servedTo(bearerTokens(tokens));
  expect((await served.send({ authorization: "bearer first-token-of-ann-4711" })).status).toBe(200);
});

test("a token stands in no journal, no frame, no answer and no line", async () => {
  const served = await servedTo(bearerTokens(tokens));
  const { text } = await runFor(served, bearer(tokens[0]!.token));
  expect(text).toContain('"ann"');
  expect([text, ...served.printed].join("\n")).not.toContain("4711");
});

test("later changes of the list that was given change nothing", async () => {
  const own = tokens.map(({ token, principal }) => ({ token, principal: { ...principal } }));
  const served = await servedTo(bearerTokens(own));
  own[0]!.principal.id = "eve";
  own.push({ token: "token-of-somebody-else-1", principal: ann });
  expect((await runFor(served, bearer(tokens[0]!.token))).by?.id).toBe("ann");
  expect((await served.send(bearer("token-of-somebody-else-1"))).status).toBe(401);
});

test.each<[string, unknown, string]>([
  ["no list", { token: "first-token-of-ann-4711" }, "The list of bearerTokens is an object"],
  ["an empty list", [], "bearerTokens got an empty list"],
  ["a short token", [{ token: "short-secret-4711", principal: ann }], "a token of less than 22 characters"],
  ["a missing token", [{ token: undefined, principal: ann }], "needs the option token"],
  ["a token with a space", [{ token: "a token with spaces 4711", principal: ann }], "a token that no header can bring"],
  [
    "a token twice",
    [tokens[0], tokens[1], { ...tokens[0], principal: ben }],
    "The member 2 of bearerTokens has the token of",
  ],
  ["no principal", [{ token: "first-token-of-ann-4711" }], "needs the option principal"],
  ["a principal without an id", [{ token: "first-token-of-ann-4711", principal: { id: "" } }], "has no usable id"],
  ["a misspelled field", [{ ...tokens[0], principle: ann }], 'has no option "principle"'],
])("%s is refused at once, without the token in the message", (_what, list, words) => {
  const make = (): unknown => bearerTokens(list as typeof tokens);
  expect(make).toThrow(words);
  expect(make).not.toThrow("4711");
});
