// The entry `lastcall/postgres`: sessions in Postgres, for many machines.

export { migrate, type MigrateOptions } from "./tables.js";
export {
  pgStore,
  type PgStore,
  type PgStoreOptions,
  type SessionInState,
  type SessionsInOptions,
  type SessionState,
} from "./pg-store.js";
export type { PgClient, PgNotification, PgPool, PgResult } from "./pool.js";
export type { StoredLimitOptions, StoredLimits } from "./stored-limits.js";
export type { StoredVaultOptions } from "./stored-vault.js";
export type { Kept, Vault } from "../vault/index.js";
