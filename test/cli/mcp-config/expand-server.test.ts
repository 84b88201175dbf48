// Variables in the texts of servers: expanded from the environment, and a missing one is told with its place.

import { describe, expect, test } from "vitest";
import { expandServer, serverSecrets } from "../../../src/cli/mcp-config/expand-server.js";
import type { StatedServer } from "../../../src/cli/mcp-config/stated-server.js";

const env = { USER_TOKEN: "t-1", EMPTY: "", DIR: "tools" };
const expand = (server: Partial<StatedServer>): ReturnType<typeof expandServer> =>
  expandServer({ name: "demo", source: "/w/own/.mcp.json", ...server }, env, "/w");

describe("a variable", () => {
  test.each([
    ["${USER_TOKEN}", "t-1"],
    ["a ${USER_TOKEN} b ${DIR}", "a t-1 b tools"],
    ["${NONE:-other}", "other"],
    ["${constructor:-other}", "other"],
    ["${EMPTY:-other}", "other"],
    ["${EMPTY}", ""],
    ["${NONE:-}", ""],
    ["${USER_TOKEN:-other}", "t-1"],
    ["${NONE:-a:-b}", "a:-b"],
    ["$USER_TOKEN ${", "$USER_TOKEN ${"],
  ])("%s becomes %j", (text, wanted) => {
    expect(expand({ command: "x", args: [text] }).args).toEqual([wanted]);
  });

  test("is expanded in every text of a server, and once", () => {
    const server = expandServer(
      { name: "demo", source: "/w/a.json", command: "${A}", args: ["${A}"], env: { X: "${A}" }, cwd: "${A}" },
      { A: "${USER}" },
      "/w",
    );
    expect(server).toEqual({
      name: "demo",
      command: "${USER}",
      args: ["${USER}"],
      env: { X: "${USER}" },
      cwd: "/w/${USER}",
    });
    expect(expand({ url: "https://${DIR}.example", headers: { authorization: "Bearer ${USER_TOKEN}" } })).toMatchObject(
      {
        url: "https://tools.example",
        headers: { authorization: "Bearer t-1" },
      },
    );
  });

  test.each<[Partial<StatedServer>, string]>([
    [{ command: "${NONE}" }, "command needs the variable NONE, which is not set. Set it, write ${NONE:-default}, or"],
    [{ command: "x", args: ["a", "${NONE}"] }, "args[1] needs the variable NONE"],
    [{ command: "x", env: { KEY: "${NONE}" } }, "env.KEY needs the variable NONE"],
    [{ url: "https://x/${NONE}" }, "url needs the variable NONE"],
    [{ url: "https://x", headers: { auth: "${NONE}" } }, "headers.auth needs the variable NONE"],
    [
      { command: "${env:HOME}" },
      "command has ${env:HOME}, which is not the name of a variable: write ${NAME} or ${NAME:-default}.",
    ],
    [
      { command: "x", args: ['${DIR:-{"a":1}}'] },
      "args[0] has the variable DIR with a brace in its default: set the variable, and write ${DIR}.",
    ],
  ])("that is missing or wrong is told: %j", (server, words) => {
    expect(() => expand(server)).toThrow(`/w/own/.mcp.json: the server "demo": ${words}`);
  });
});

test("a local server starts in the workspace, or in its own folder, which is relative to its file", () => {
  expect(expand({ command: "x" }).cwd).toBe("/w");
  expect(expand({ command: "x", cwd: "${DIR}" }).cwd).toBe("/w/own/tools");
  expect(expand({ url: "https://x" })).not.toHaveProperty("cwd");
});

test("the secrets of a server are the values of its keys", () => {
  const headers = { authorization: "Bearer abcdefgh", "x-api-key": "12345678", "x-client": "lastcall" };
  expect(serverSecrets({ name: "a", url: "https://x", headers })).toEqual(["Bearer abcdefgh", "abcdefgh", "12345678"]);
  const given = { GITHUB_TOKEN: "ghx-12345678", HOME: "/home/somebody", SHORT_KEY: "abc" };
  expect(serverSecrets({ name: "a", command: "x", env: given })).toEqual(["ghx-12345678"]);
});
