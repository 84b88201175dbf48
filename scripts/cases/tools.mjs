// The tools of a case, made from their JSON Schemas, and its permission. Both record the calls that they get.

/** The tools that end a run, with their options. */
const breaking = new Map([
  ["task_completion", {}],
  ["ask_question", { awaitsReply: true }],
  ["converse", { awaitsReply: true }],
]);

const effects = [
  [/ReadOnly/, "read"],
  [/WorkspaceWrite/, "write"],
  [/DangerFullAccess/, "execute"],
];

const completion = {
  name: "task_completion",
  description: "LOOP-BREAKING. Ends the run.",
  parameters: { type: "object", properties: { result: { type: "string" } }, required: ["result"] },
};

/** Maps the names of a case's tools to valid tool names, and back. */
export function namesOf(given) {
  const registered = new Map();
  const original = new Map();
  for (const { function: described } of given.tools) {
    const name = described.name.replace(/[^\w-]/g, "_").slice(0, 64);
    registered.set(described.name, name);
    original.set(name, described.name);
  }
  const changed = [...registered].filter(([from, to]) => from !== to);
  return { register: (name) => registered.get(name) ?? name, restore: (name) => original.get(name) ?? name, changed };
}

/** Makes the case's tools. Each call that runs is reported to `ran` as `{ id, name, input }`. */
export function toolsOf(given, { tool, names, ran }) {
  const described = given.tools.map(({ function: each }) => each);
  if (!described.some(({ name }) => name === completion.name)) described.push(completion);
  return described.map(({ name, description, parameters }) => {
    const [, effect] = effects.find(([words]) => words.test(description ?? "")) ?? [];
    const ending = breaking.get(name);
    return tool({
      name: names.register(name),
      description: description || name,
      input: { ...parameters, type: "object" },
      ...(effect !== undefined && { effect }),
      ...(ending !== undefined && { isLoopBreaking: true, ...ending }),
      run: (input, { callId }) => {
        ran({ id: callId, name, input });
        // Without a return value, the input becomes the value of the claim.
        return ending === undefined ? "ok" : undefined;
      },
    });
  });
}

/** A permission that allows everything and reports each frozen call to `seen`, with a copy of its input. */
export function permissionOf({ seen }) {
  return {
    decide(call) {
      seen({ call, copy: structuredClone(call.input) });
      return { allowed: true, reason: "the replay allows everything" };
    },
  };
}
