// Two tenants with three people each, and a tool whose calls need an approval.

import { tool, type Principal } from "../../../src/index.js";

export const people: readonly Principal[] = ["acme", "initech"].flatMap((tenant) =>
  ["ann", "ben", "cas"].map((id): Principal => ({ id, tenant, name: `${id} of ${tenant}` })),
);

export const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: {} },
  effect: "write",
  run: () => "paid",
});
