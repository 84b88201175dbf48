// The hidden file that a failed command has probably missed.

import { expect, test } from "vitest";
import { hiddenMet } from "../../../src/shell/places/hidden-met.js";

const hidden = [
  "/w/.env",
  "/w/.npmrc",
  "/w/config/master.key",
  "/w/secrets/token",
  "/w/src/main/resources/application.properties",
];

test.each<readonly [command: string, output: string, met: readonly string[]]>([
  ["npm install", "npm error code E401\nnpm error Unable to authenticate, need: token", ["/w/.npmrc"]],
  ["docker compose up", "variable POSTGRES_PASSWORD is not set", ["/w/.env"]],
  ["./run", "Error: cannot parse config/master.key", ["/w/config/master.key"]],
  ["cat .env && false", "", ["/w/.env"]],
  [
    "./gradlew bootRun",
    "Could not resolve placeholder: password missing",
    ["/w/src/main/resources/application.properties"],
  ],
  ["./run", "bad token", []],
  ["./run", "secrets/token: bad", ["/w/secrets/token"]],
  ["npm test", "AssertionError: expected 2 to be 3", []],
  ["node -e 'process.exit(1)'", "environment.ts failed", []],
])("%s, which says %j, has missed %j", (command, output, met) => {
  expect(hiddenMet(command, output, hidden)).toEqual(met);
});
