// lastcall/permission: what a call may do, and who may say yes to it.

export { allowAll } from "./allow-all.js";
export { gate, type GateOptions, type Mode } from "./gate.js";
export type { KeptRule } from "./rules/kept-rule.js";
export { type Tier } from "./rules/tier.js";
