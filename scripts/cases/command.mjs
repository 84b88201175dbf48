// Functions of the command that no entry exports. scripts/cases.mjs bundles this file.

export { preview } from "../../src/cli/person/approver.ts";
export { withoutThinking } from "../../src/cli/display/visible.ts";
