// The desk with the scripted model: a question, an approval, and the end, each in a run of the same session.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deskWith } from "./agent.ts";
import { script } from "./model.ts";

test("a refund is paid once a colleague approves it", async () => {
  const desk = deskWith(script());
  const asked = await desk.run("My lamp arrived broken.");
  assert(asked.status === "waiting" && asked.by === "ask_question");

  const parked = await desk.run("A-17", { session: asked.session });
  assert(parked.status === "waiting" && parked.by === "refund");
  assert.equal(parked.approval.preview, "Pay 40.00 euros back for A-17");

  const { digest } = parked.approval;
  const paid = await desk.run({ allowed: true, digest }, { session: parked.session, answers: parked.id });
  assert(paid.status === "completed");
  assert.equal(paid.value.result, "Your money is on its way.");
});
