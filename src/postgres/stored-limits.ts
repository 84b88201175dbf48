// Limits that runs of many machines share: what was spent, and what was set aside, in two tables.

import { LastcallError, type Budget, type LimitReached, type Principal, type Spent } from "../core/index.js";
import {
  addSpent,
  checkOptions,
  choiceOf,
  digestOf,
  limitKey,
  limitReached,
  limitsOfMany,
  needed,
  sharedLimitReached,
  readPrincipal,
  type Limits,
  type LimitsOfMany,
  type OptionKinds,
} from "../core/internal.js";
import type { Statements } from "./statements.js";

/** Bounds on all runs that draw from the same name. At least one is given. The clock of the database tells the period. */
export interface StoredLimitOptions extends LimitsOfMany {
  /** The name of the budget: of a tenant and a project, for example. 1 to 200 characters. */
  readonly name: string;
}

/** A budget in a database, for `run(input, { budget })` on any machine. */
export interface StoredLimits extends Budget {
  /**
   * Reads the amounts that all runs have used so far, in all periods, including the amounts of requests whose process died before their
   * end.
   */
  spent(): Promise<Spent>;
  /**
   * Reads the amounts that the limit of this principal counts now: in the present period, and with `per` of the principal or of its tenant.
   * Without a principal: of the runs that have none.
   */
  spentBy(principal?: Principal): Promise<Spent>;
}

const storedLimitOptions = {
  name: needed("text"),
  maxCost: "number",
  maxTokens: "number",
  maxIterations: "number",
  per: choiceOf("principal", "tenant"),
  every: choiceOf("hour", "day", "month"),
} satisfies OptionKinds<StoredLimitOptions>;

/**
 * Milliseconds after which an amount that was set aside is free again, unless it was settled or released: its process has died. It is
 * longer than a request takes. A reply that comes later counts all the same.
 */
const longest = 15 * 60_000;

/** The longest key of a principal in the name of a row. A longer key is told by its digest, because an index has a longest entry. */
const longestKey = 300;

/** The formats of Postgres for the name of a period. An empty format makes no text. */
const formats = { hour: 'YYYY-MM-DD"T"HH24', day: "YYYY-MM-DD", month: "YYYY-MM" };

/**
 * Makes limits in the tables of a store. A budget has one row. With `per` or `every` it has a row for each principal or tenant and each
 * period, whose name has three lines: the name of the budget, the period and the key.
 * @throws LastcallError `configuration` as `sharedLimits` does, and for a name that is none.
 */
export function storedLimits(statements: Statements, options: StoredLimitOptions): StoredLimits {
  checkOptions("limits", options, storedLimitOptions);
  const { name, ...many } = options;
  const { per } = many;
  const limits = limitsOfMany("limits", many);
  if (typeof (name as unknown) !== "string" || !/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name))
    throw new LastcallError(
      "configuration",
      "limits.name names a budget in 1 to 200 characters, none of them a control character.",
    );
  const { schema } = statements;
  const reading = `read the budget ${name} in`;
  return {
    needsPrice: limits.maxCost !== undefined,
    async reserve(next, key = crypto.randomUUID(), principal) {
      const id = crypto.randomUUID();
      const row = await rowOf(name, many, principal);
      const asked = await setAside(statements, { name, row, limits, next, key, id });
      if (asked !== undefined) return sharedLimitReached(asked.reached, { name, per, principal, period: asked.period });
      return {
        settle: (used) => settle(statements, name, id, used),
        release: () => {
          // If it fails, the amount is free after a while.
          release(statements, name, id).catch(() => undefined);
        },
      };
    },
    async spent() {
      const statement = `SELECT sum(iterations) AS iterations, sum(tokens) AS tokens, sum(cost) AS cost FROM ${schema}.budgets
        WHERE name = $1 OR (name > $2 AND name < $3)`;
      const { rows } = await statements.run(reading, statement, [name, `${name}\n`, `${name}\v`]);
      return spentIn(rows[0]);
    },
    async spentBy(principal) {
      const who = principal === undefined ? undefined : readPrincipal(principal, "The principal of spentBy");
      const statement = `SELECT iterations, tokens, cost FROM ${schema}.budgets WHERE name = ${nameInSql}`;
      const { rows } = await statements.run(reading, statement, await rowOf(name, many, who));
      return spentIn(rows[0]);
    },
  };
}

/** The name of a row as SQL, over the values of `rowOf`. All statements of one transaction have one time. */
const nameInSql = "concat($1::text, to_char(now() AT TIME ZONE 'UTC', $2::text), $3::text)";

/** The parts of the name of a row: the text before the period, the format of the period, and the text after it. */
type RowName = [before: string, period: string, after: string];

async function rowOf(name: string, { per, every }: LimitsOfMany, principal: Principal | undefined): Promise<RowName> {
  if (per === undefined && every === undefined) return [name, "", ""];
  const key = limitKey(principal, per);
  const short = key.length <= longestKey ? key : await digestOf(new TextEncoder().encode(key));
  return [`${name}\n`, every === undefined ? "" : formats[every], `\n${short}`];
}

/** An amount to set aside for one request. */
interface Wanted {
  readonly name: string;
  readonly row: RowName;
  readonly limits: Limits;
  readonly next: Spent;
  /** The key of the request. What the same request has set aside before, in a process that died, is replaced. */
  readonly key: string;
  readonly id: string;
}

/**
 * Sets the amount aside, or returns the limit that forbids it and its period. One caller at a time has the row of the budget.
 */
async function setAside(
  statements: Statements,
  { name, row, limits, next, key, id }: Wanted,
): Promise<{ readonly reached: LimitReached; readonly period: string } | undefined> {
  const { schema } = statements;
  return statements.transaction(`set an amount aside in the budget ${name} of`, async (client) => {
    await client.query(`INSERT INTO ${schema}.budgets (name) VALUES (${nameInSql}) ON CONFLICT DO NOTHING`, row);
    const { rows } = await client.query(
      `SELECT name, iterations, tokens, cost FROM ${schema}.budgets WHERE name = ${nameInSql} FOR UPDATE`,
      row,
    );
    const budget = String(rows[0]?.["name"]);
    await client.query(
      `DELETE FROM ${schema}.reservations WHERE budget = $1 AND (key = $2 OR until < clock_timestamp() - interval '1 day')`,
      [budget, key],
    );
    const held = await client.query(
      `SELECT sum(iterations) AS iterations, sum(tokens) AS tokens, sum(cost) AS cost FROM ${schema}.reservations
        WHERE budget = $1 AND until > clock_timestamp()`,
      [budget],
    );
    const spent = addSpent(spentIn(rows[0]), spentIn(held.rows[0]));
    const reached = limitReached({ spent, elapsed: 0 }, limits, next);
    if (reached !== undefined) return { reached, period: budget.split("\n")[1] ?? "" };
    await client.query(
      `INSERT INTO ${schema}.reservations (id, budget, key, iterations, tokens, cost, until)
        VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::float8 * interval '1 millisecond')`,
      [id, budget, key, next.iterations, next.tokens, next.cost, longest],
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
