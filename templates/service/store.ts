// The place of the sessions: Postgres with DATABASE_URL, which many processes share, else files of this folder.

import { fileStore } from "lastcall/memory";
import { migrate, pgStore } from "lastcall/postgres";
import { Pool } from "pg";

const { DATABASE_URL } = process.env;

export const place = DATABASE_URL ? "Postgres" : "the folder sessions, because there is no DATABASE_URL";

export async function openStore() {
  if (!DATABASE_URL) return fileStore("sessions");
  const pool = new Pool({ connectionString: DATABASE_URL });
  await migrate(pool); // In a larger system, a step of the deployment.
  return pgStore(pool);
}
