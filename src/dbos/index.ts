// lastcall/dbos: a host on DBOS, for runs that many machines work on.

export { hostOnDbos } from "./host-on-dbos.js";
export type { DbosConcurrencyOptions, DbosHostOptions, DbosRateOptions } from "./dbos-options.js";
export type { DbosPool } from "./dbos-pool.js";
