// lastcall/restate: a host on Restate, for runs that many machines work on.

export { hostOnRestate } from "./host-on-restate.js";
export type { RestateHostOptions, RestateListenOptions } from "./restate-options.js";
