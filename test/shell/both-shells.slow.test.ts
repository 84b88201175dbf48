// Every sandbox that works on this system keeps the contract of every shell, and no shell waits longer than it has to.

import { describe, test } from "vitest";
import { hostShell } from "../../src/tools/index.js";
import { candidates } from "./sandboxes.js";
import { endsAtOnce, keepsContract } from "./shell-contract.js";

describe("the host's shell", () => {
  endsAtOnce(() => hostShell());
});

for (const { name, make, finding } of candidates) {
  describe(`a sandbox (${name})${finding.ok ? "" : ` (left out: ${finding.reason})`}`, () => {
    if (!finding.ok) test.skip(`is not tried: ${name}`, () => undefined);
    else {
      const shellIn = (root: string): ReturnType<typeof make> => make({ root, writable: true });
      keepsContract(shellIn);
      endsAtOnce(shellIn);
    }
  });
}
