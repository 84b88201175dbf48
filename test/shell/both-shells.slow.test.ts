// Every sandbox that works on this system keeps the contract of every shell.

import { describe, test } from "vitest";
import { keepsContract } from "./shell-contract.js";
import { candidates } from "./sandboxes.js";

for (const { name, make, finding } of candidates) {
  describe(`a sandbox (${name})${finding.ok ? "" : ` (left out: ${finding.reason})`}`, () => {
    if (finding.ok) keepsContract((root) => make({ root, writable: true }));
    else test.skip(`is not tried: ${name}`, () => undefined);
  });
}
