// The service over HTTP with the scripted model and a store in memory: no key, no database.

import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, openSession } from "lastcall/memory";
import { clerkWith } from "./agent.ts";
import { script } from "./model.ts";
import { startService } from "./service.ts";

test("a ticket that comes twice is filed once", async () => {
  const store = memoryStore();
  const service = await startService({ clerk: clerkWith(script()), store });
  const post = () =>
    fetch(new URL("sessions/ticket-7/runs", service.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "I can't pay my invoice.", inputId: "mail-31" }),
    });
  assert.equal((await post()).status, 202);
  assert.equal((await post()).status, 202);

  const session = new URL("sessions/ticket-7", service.url);
  const shown = async () => (await (await fetch(session)).json()) as { status: string };
  while ((await shown()).status === "open") await new Promise((later) => setTimeout(later, 20));
  await service.close();

  const { records } = await openSession({ store, id: "ticket-7" }).toJSON();
  const claims = records.filter((record) => record.type === "claim");
  assert.deepEqual(
    claims.map(({ by, value }) => [by, value]),
    [["file_ticket", { team: "billing", urgency: "now", summary: "Invoices fail since 09:40." }]],
  );
});
