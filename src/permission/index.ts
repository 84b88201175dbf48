// lastcall/permission: who may say yes to a call.

export { allowAll } from "./allow-all.js";
export { askFirst, type Approver } from "./ask-first.js";
