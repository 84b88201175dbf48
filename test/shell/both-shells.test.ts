// The host's shell keeps the contract of every shell. The tests of the sandboxes are slow: see both-shells.slow.test.ts.

import { describe } from "vitest";
import { hostShell } from "../../src/tools/index.js";
import { keepsContract } from "./shell-contract.js";

describe("the host's shell", () => {
  keepsContract(() => hostShell());
});
