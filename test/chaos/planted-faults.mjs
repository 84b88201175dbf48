// Faults to plant in a copy of the sources, one at a time: each is a bug of a kind that tests have missed before. `npm run plant` shows that
// the named tests catch every one of them.

/**
 * One fault: `file` has the text `from` exactly once, and `to` stands in its place. `tests` are the files that must catch it, and `named`,
 * if there is one, is a part of the names of their tests.
 *
 * @type {readonly { name: string, file: string, from: string, to: string, tests: readonly string[], named?: string }[]}
 */
export const faults = [
  {
    name: "the journal is never flushed to the disk",
    file: "src/memory/store/file-journal.ts",
    from: "    await flushData(handle());\n",
    to: "",
    tests: ["test/memory/store"],
  },
  {
    name: "the flush of an intent is left out",
    file: "src/memory/session/open-session.ts",
    from: '"steer", "intent", ',
    to: '"steer", ',
    tests: ["test/memory/session/flushed.test.ts"],
  },
  {
    name: "results are not flushed",
    file: "src/memory/session/open-session.ts",
    from: '"result", "claim"',
    to: '"claim"',
    tests: ["test/memory/session/flushed.test.ts"],
  },
  {
    name: "a result is dropped if its run is aborted",
    file: "src/core/call/perform.ts",
    from: '  await run.append({ type: "result", result });\n',
    to: '  run.signal.throwIfAborted();\n  await run.append({ type: "result", result });\n',
    tests: ["test/core/call/perform.test.ts"],
  },
  {
    name: "a resume forgets the failures that the circuit counted",
    file: "src/core/journal/step.ts",
    from: "      return { definition: record.definition ?? state.definition,",
    to: "      return { circuit: emptyState.circuit, definition: record.definition ?? state.definition,",
    tests: ["test/core/journal/step.test.ts"],
  },
  {
    name: "a resume doubles what the run has spent",
    file: "src/core/journal/step.ts",
    from: "      return { definition: record.definition ?? state.definition,",
    to: "      return { spent: addSpent(state.spent, state.spent), definition: record.definition ?? state.definition,",
    tests: ["test/core/journal/step.test.ts", "test/chaos/kill-points.slow.test.ts"],
  },
  {
    name: "a reply is counted twice for the limits",
    file: "src/core/journal/step.ts",
    from: "spent: addSpent(state.spent, record.spent ?? spentOn(reply.usage, undefined)),",
    to: "spent: [1, 2].reduce((spent) => addSpent(spent, record.spent ?? spentOn(reply.usage, undefined)), state.spent),",
    tests: ["test/chaos/abort.slow.test.ts", "test/chaos/kill-points.slow.test.ts"],
  },
  {
    name: "a whole last line without its line feed locks the session",
    file: "src/memory/session/open-session.ts",
    from: "if (log.dropped !== undefined || lock.isTorn === true) await",
    to: "if (log.dropped !== undefined) await",
    tests: ["test/memory/session", "test/memory/store"],
  },
  {
    name: "the journal of another session is accepted",
    file: "src/memory/session/record-lines.ts",
    from: "if (header.id !== id) {",
    to: 'if (header.id === "") {',
    tests: ["test/memory/session/record-lines.test.ts", "test/memory/session/open-session.test.ts"],
  },
  {
    name: "a comment of a provider counts as progress",
    file: "src/model/http/body.ts",
    from: "      if (patience.waited > idle * idleTimeoutsWithoutProgress) throw withoutProgress(patience, stop);\n",
    to: "      void withoutProgress;\n",
    tests: ["test/model/http/body.test.ts"],
  },
  {
    name: "an asked call leaves a listener on the signal of its run",
    file: "src/permission/approve.ts",
    from: "    unfollow();\n",
    to: "    void unfollow;\n",
    tests: ["test/permission/approve.test.ts"],
  },
  {
    name: "an asked call leaves a derived signal with a listener",
    file: "src/permission/approve.ts",
    from: "  const unfollow = follow(stop, signal);\n",
    to: '  AbortSignal.any([signal, stop.signal]).addEventListener("abort", () => undefined);\n  const unfollow = follow(stop, signal);\n',
    tests: ["test/permission/approve.test.ts", "test/chaos/resources.slow.test.ts"],
    named: "own signal is garbage|asked about, aborted and left",
  },
  {
    name: "the signal of a stored run is derived, and stays if a guest listens to it",
    file: "src/core/agent/stored-run.ts",
    from: "stored.open(last, lease, stop.signal)",
    to: "stored.open(last, lease, AbortSignal.any([stop.signal, lease.signal]))",
    tests: ["test/chaos/resources.slow.test.ts"],
    named: "asked about, aborted and left",
  },
  {
    name: "a question waits for the answer of another session",
    file: "src/permission/approve.ts",
    from: "    const { session } = asking;\n",
    to: '    const session = "one for all";\n',
    tests: ["test/permission/approve.test.ts"],
  },
  {
    name: "a model that is left in its reply is not returned",
    file: "src/core/time/drive.ts",
    from: "source.return(undefined as Returned)",
    to: "Promise.resolve()",
    tests: ["test/scenarios/left.test.ts"],
  },
  {
    name: "a left reply of the HTTP model keeps its watchdog",
    file: "src/model/openai.ts",
    from: "        await source.return(undefined as never);\n",
    to: "",
    tests: ["test/scenarios/left.test.ts"],
  },
  {
    name: "a summary that takes too long goes on in the background",
    file: "src/core/loop/recall.ts",
    from: "wholeReply(model.respond(request, stop.signal), stop.signal)",
    to: "wholeReply(model.respond(request, stop.signal))",
    tests: ["test/scenarios/left.test.ts"],
  },
  {
    name: "the ids of calls come back in the next life of a session",
    file: "src/core/agent/run-to-end.ts",
    from: "    life: newMark(run.parts.runtime),\n",
    to: "",
    tests: ["test/memory/session/lives.test.ts"],
  },
  {
    name: "two forks of one id have the same ids of calls",
    file: "src/memory/session/fork-session.ts",
    from: "const life = newMark(systemRuntime);",
    to: 'const life = "k3f9x2";',
    tests: ["test/memory/session/lives.test.ts"],
  },
];
