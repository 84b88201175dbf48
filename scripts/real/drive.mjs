// Drives lastcall through one task with a real model, and notes what happened.

/** Limits that let a small model fail soon. */
const circuit = { identical: 3, inARow: 5 };

/**
 * Runs a task.
 * @param {object} task One of `allTasks()`.
 * @param {{ library: object, model: object, take: () => Promise<object[]> }} options `take` returns the recorded exchanges since its last call.
 * @returns {Promise<object>} `{ task, family, outcome, records, claims, exchanges, steps, isTrue, isSolvable }`. `claims` has an entry
 * for each claim of completion, with the truth at its time: `{ isTrue, isAccepted }`.
 */
export async function driveTask(task, { library, model, take }) {
  const { createAgent, taskCompletion } = library;
  const world = task.open(library);
  const claims = new Map();
  const steps = [];
  await take();
  try {
    const agent = createAgent({
      model,
      tools: [...world.tools, taskCompletion()],
      checks: world.checks,
      permission: () => true,
      circuit,
      limits: { maxIterations: task.maxIterations, timeout: 1_800_000, reserve: 0 },
      interactive: false,
    });
    const running = agent.stream(task.input);
    for (;;) {
      // The run waits while this loop looks at the world, so the truth is of the time of the claim.
      const { done, value } = await running.next();
      if (done) {
        const { session, ...outcome } = value;
        const { id, family, isSolvable } = task;
        const accepted = session.records.find(({ type }) => type === "claim");
        if (claims.has(accepted?.callId)) claims.get(accepted.callId).isAccepted = true;
        const noted = {
          claims: [...claims.values()],
          exchanges: await take(),
          steps,
          isTrue: world.isTrue(),
          isSolvable,
        };
        return { task: id, family, outcome, records: session.records, ...noted };
      }
      if (value.type === "call-start" && value.call.name === "task_completion" && value.call.type === "call")
        claims.set(value.call.id, { isTrue: world.isTrue(), isAccepted: false });
      if (value.type === "forcing-step") steps.push(`${value.from} to ${value.to}: ${value.reason}`);
    }
  } finally {
    world.close();
  }
}
