// Limits that runs of many machines share: what was spent, and what was set aside, in two tables.

import { LastcallError, sharedLimits, type Budget, type LimitReached, type Spent } from "../core/index.js";
import { addSpent, checkOptions, needed, type OptionKinds, limitReached, type Limits } from "../core/internal.js";
import type { Statements } from "./statements.js";

/** Bounds on all runs that draw from the same name. At least one is given. */
export interface StoredLimitOptions {
  /** The name of the budget: of a tenant and a month, for example. 1 to 200 characters. */
  readonly name: string;
  /** Maximum cost of all requests, in the currency of the agents' `limits.prices`, which must have the price of each model. */
  readonly maxCost?: number | undefined;
  /** Maximum number of tokens of all requests, input and output. */
  readonly maxTokens?: number | undefined;
  /** Maximum number of model replies. */
  readonly maxIterations?: number | undefined;
}

/** A budget in a database, for `run(input, { budget })` on any machine. */
export interface StoredLimits extends Budget {
  /** Reads the amounts that all runs have used so far, including the amounts of requests whose process died before their end. */
  spent(): Promise<Spent>;
}

const storedLimitOptions = {
  name: needed("text"),
  maxCost: "number",
  maxTokens: "number",
  maxIterations: "number",
} satisfies OptionKinds<StoredLimitOptions>;

/**
 * Milliseconds after which an amount that was set aside is free again, unless it was settled or released: its process has died. It is
 * longer than a request takes. A reply that comes later counts all the same.
 */
const longest = 15 * 60_000;

/**
 * Makes limits in the tables of a store.
 * @throws LastcallError `configuration` as `sharedLimits` does, and for a name that is none.
 */
export function storedLimits(statements: Statements, options: StoredLimitOptions): StoredLimits {
  checkOptions("limits", options, storedLimitOptions);
  const { name, maxCost, maxTokens, maxIterations } = options;
  const { needsPrice } = sharedLimits({ maxCost, maxTokens, maxIterations });
  if (typeof (name as unknown) !== "string" || !/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name))
    throw new LastcallError(
      "configuration",
      "limits.name names a budget in 1 to 200 characters, none of them a control character.",
    );
  const limits: Limits = { maxCost, maxTokens, maxIterations, prices: {}, warnAt: 1, reserve: 0 };
  return {
    ...(needsPrice !== undefined && { needsPrice }),
    async reserve(next, key = crypto.randomUUID()) {
      const id = crypto.randomUUID();
      const reached = await setAside(statements, { name, limits, next, key, id });
      if (reached !== undefined) return reached;
      return {
        settle: (used) => settle(statements, name, id, used),
        release: () => {
          // If it fails, the amount is free after a while.
          release(statements, name, id).catch(() => undefined);
        },
      };
    },
    async spent() {
      const { schema } = statements;
      const statement = `SELECT iterations, tokens, cost FROM ${schema}.budgets WHERE name = $1`;
      const { rows } = await statements.run(`read the budget ${name} in`, statement, [name]);
      return spentIn(rows[0]);
    },
  };
}

/** An amount to set aside for one request. */
interface Wanted {
  readonly name: string;
  readonly limits: Limits;
  readonly next: Spent;
  /** The key of the request. What the same request has set aside before, in a process that died, is replaced. */
  readonly key: string;
  readonly id: string;
}

/** Sets the amount aside, or returns the limit that forbids it. One caller at a time has the row of the budget. */
async function setAside(
  statements: Statements,
  { name, limits, next, key, id }: Wanted,
): Promise<LimitReached | undefined> {
  const { schema } = statements;
  return statements.transaction(`set an amount aside in the budget ${name} of`, async (client) => {
    await client.query(`INSERT INTO ${schema}.budgets (name) VALUES ($1) ON CONFLICT DO NOTHING`, [name]);
    const row = await client.query(
      `SELECT iterations, tokens, cost FROM ${schema}.budgets WHERE name = $1 FOR UPDATE`,
      [name],
    );
    await client.query(
      `DELETE FROM ${schema}.reservations WHERE budget = $1 AND (key = $2 OR until < clock_timestamp() - interval '1 day')`,
      [name, key],
    );
    const held = await client.query(
      `SELECT sum(iterations) AS iterations, sum(tokens) AS tokens, sum(cost) AS cost FROM ${schema}.reservations
        WHERE budget = $1 AND until > clock_timestamp()`,
      [name],
    );
    const spent = addSpent(spentIn(row.rows[0]), spentIn(held.rows[0]));
    const reached = limitReached({ spent, elapsed: 0 }, limits, next);
    if (reached !== undefined)
      return { ...reached, message: `the limit ${name} that several runs share: ${reached.message}` };
    await client.query(
      `INSERT INTO ${schema}.reservations (id, budget, key, iterations, tokens, cost, until)
        VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::float8 * interval '1 millisecond')`,
      [id, name, key, next.iterations, next.tokens, next.cost, longest],
    );
    return undefined;
  });
}

/** Counts what was used, once, however often the statement is carried out. */
async function settle({ schema, run }: Statements, name: string, id: string, used: Spent): Promise<void> {
  await run(
    `settle an amount in the budget ${name} of`,
    `WITH gone AS (DELETE FROM ${schema}.reservations WHERE id = $1 RETURNING budget)
      UPDATE ${schema}.budgets SET iterations = iterations + $2, tokens = tokens + $3, cost = cost + $4
      FROM gone WHERE name = gone.budget`,
    [id, used.iterations, used.tokens, used.cost],
  );
}

async function release({ schema, run }: Statements, name: string, id: string): Promise<void> {
  await run(`release an amount in the budget ${name} of`, `DELETE FROM ${schema}.reservations WHERE id = $1`, [id]);
}

function spentIn(row: Readonly<Record<string, unknown>> | undefined): Spent {
  const of = (name: string): number => Number(row?.[name] ?? 0);
  return { iterations: of("iterations"), tokens: of("tokens"), cost: of("cost") };
}
