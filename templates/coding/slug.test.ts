// The goal of the agent: it can't change this file, since lastcall.config.json protects it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "./slug.ts";

test("every blank becomes a dash", () => {
  assert.equal(slug("Agents that stop on purpose"), "agents-that-stop-on-purpose");
});
