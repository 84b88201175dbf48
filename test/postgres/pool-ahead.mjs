// A pool of Postgres whose database has a clock that is ahead: locks get old without waiting.

/** The pool, with a clock of the database that is ahead by this number of milliseconds at each statement. */
export function poolAhead(pool, ahead) {
  const moved = () => `(clock_timestamp() + ${String(ahead())} * interval '1 millisecond')`;
  return {
    query: (statement, values) => pool.query(statement.replaceAll("clock_timestamp()", moved), values),
    connect: () => pool.connect(),
    on: (event, listener) => pool.on(event, listener),
    options: pool.options,
  };
}
