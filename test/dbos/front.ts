// A host on DBOS in the process of a test, which gives inputs to the processes that work at a place.

import pg from "pg";
import { createAgent } from "../../src/index.js";
import { hostOnDbos, type DbosHostOptions } from "../../src/dbos/index.js";
import type { Host } from "../../src/host/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import type { HostPlace } from "../host/host-place.js";

/** A host of this process that only gives inputs to those that work at a place. */
export class Front implements AsyncDisposable {
  readonly pool: pg.Pool;
  readonly host: Host;
  /** Statements so far over the pool. */
  statements = 0;

  private constructor(pool: pg.Pool, host: Host) {
    this.pool = pool;
    this.host = host;
    pool.on("acquire", () => (this.statements += 1));
  }

  static async open(place: HostPlace, url: string, options: Partial<DbosHostOptions> = {}): Promise<Front> {
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    const worker = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
    const host = await hostOnDbos({ agents: { worker }, store: place.store, pool, work: false, poll: 100, ...options });
    return new Front(pool, host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await this.pool.end();
  }
}
