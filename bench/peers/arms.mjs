// The arms: agents of lastcall with checks of four kinds, and the programs of the peers as commands.

/** The agents of lastcall, each with the words of its row. */
export const ownArms = [
  { name: "none", title: "lastcall, no check", checks: () => [] },
  {
    name: "weak",
    title: "lastcall, a check that passes from the start",
    checks: ({ weak }, { command, cwd }) => [command(weak, { cwd })],
  },
  {
    name: "checked",
    title: "lastcall, a real check on files that the agent may change",
    checks: ({ line, protect }, { command, cwd }) => [command(line, { cwd, watch: protect })],
  },
  {
    name: "protected",
    title: "lastcall, a real check on protected files",
    checks: ({ line, protect }, { command, cwd }) => [command(line, { cwd, protect })],
  },
];

/** Milliseconds: a small server on a busy machine thinks for minutes before its first byte. */
const idleTimeout = 900_000;

/** Between the name of a peer and the name of a model, in the name of a variant. */
const and = "--";

/** The evaluation: each model in each arm, on all tasks. A command has no model, so it has one variant for each. */
export function peersEvaluation(library, { suite, url, names, node, programs, arms = ownArms, mostSteps = 40 }) {
  const { createAgent, command, evaluation, openai, taskCompletion, giveUp, workspaceTools, allowAll } = library;
  const agentOf = (checks) => (place) =>
    createAgent({
      model: place.model,
      tools: [...workspaceTools({ root: place.root }), taskCompletion(), giveUp()],
      checks: checks(suite.checkOf(place.task), { command, cwd: place.root }),
      permission: allowAll(),
      limits: { maxIterations: mostSteps },
    });
  return evaluation({
    name: "peers",
    // A program of a peer says with exit code 3 that the agent has given up.
    tasks: suite.tasks.map((task) => (task.ends === undefined ? task : { ...task, ends: [...task.ends, "exit 3"] })),
    variants: {
      ...Object.fromEntries(arms.map(({ name, checks }) => [name, agentOf(checks)])),
      ...Object.fromEntries(
        programs.flatMap(({ name, program }) =>
          names.map((model) => [
            `${name}${and}${model}`,
            { command: [node, program, model, "{task}"], timeout: 600_000 },
          ]),
        ),
      ),
    },
    models: Object.fromEntries(
      names.map((model) => [model, openai({ model, baseURL: url, apiKey: "none", idleTimeout })]),
    ),
    trials: 1,
    concurrency: 2,
  });
}

/** The harness and the model of a trial's row. */
export function armOf({ variant, model }) {
  const [harness, named] = variant.split(and);
  return { harness, model: named ?? model };
}
