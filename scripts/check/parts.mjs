// The parts of a check that take turns. The commit's hash chooses them, so that each comes up
// again after a few checks, and the same commit gets the same.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts that the chaos suite is divided into. A check runs one of them. */
const chaosParts = 8;

/** The parts that the planted faults are divided into. */
const plantParts = 24;

/** The parts that the tests in other runtimes are divided into. Each check runs one. */
const runtimeParts = 12;

/** The turns of tests that make a share of their trials: each number of shares up to six divides it. */
const shares = 60;

/** The other parts that take turns, of which a check runs one: `others` in `partsFor`. */
const turns = 8;

const shells = ["dash", "bash", "bash-as-sh", "zsh"];

/** Folders of fast tests that ran on the bare machine. Without a program in the test they have nothing new to show on another machine. */
const alike = [
  ...[
    "ai-sdk",
    "approval",
    "checks",
    "core",
    "e2e",
    "host",
    "mcp",
    "memory",
    "model",
    "otel",
    "permission",
    "scenarios",
  ],
  ...["schema", "server", "studio", "testing"],
];

/** Slow test files that have their turn, each group at another time. */
export const slowInTurn = {
  /** With the commands under strace. */
  commands: ["test/permission/planted-commands.slow.test.ts"],
  /** Programs beside the package: the playground of the site, templates, programs with the packages of other frameworks, apps that they build. */
  beside: [
    "test/coming-from.slow.test.ts",
    "test/create.slow.test.ts",
    "test/guide.slow.test.ts",
    "test/server/built-mounts.slow.test.ts",
    "test/site/playground.slow.test.ts",
  ],
  /** The programs in examples/. Each shows features that have tests of their own, and each check compiles all of them. */
  examples: [
    "test/examples/a-session-for-each-user.slow.test.ts",
    "test/examples/approval-over-http.slow.test.ts",
    "test/examples/approve.slow.test.ts",
    "test/examples/ask-and-answer.slow.test.ts",
    "test/examples/assistant.slow.test.ts",
    "test/examples/batch.slow.test.ts",
    "test/examples/coding-agent.slow.test.ts",
    "test/examples/embedded.slow.test.ts",
    "test/examples/hello.slow.test.ts",
    "test/examples/line-tools.slow.test.ts",
    "test/examples/many-machines.slow.test.ts",
    "test/examples/refund-agent.slow.test.ts",
    "test/examples/refund-desk.slow.test.ts",
    "test/examples/research.slow.test.ts",
    "test/examples/rich-schema.slow.test.ts",
    "test/examples/stream-to-browser.slow.test.ts",
    "test/examples/triage-desk.slow.test.ts",
    "test/examples/worker.slow.test.ts",
  ],
  /** Stores with planted faults, which the suite for the stores of others has to find. Our own stores pass that suite in each check. */
  planted: [
    "test/testing/conformance/store-conformance.slow.test.ts",
    "test/testing/conformance/store-lock-cases.slow.test.ts",
  ],
  /** Processes that are killed, besides the chaos suite. */
  killed: [
    "test/cli/work/work-for-others.slow.test.ts",
    "test/server/agui/agui-killed.slow.test.ts",
    "test/tools/changes/changes-killed.slow.test.ts",
  ],
  /** Evaluations and benches: many trials of what other tests have once. */
  measured: [
    "test/bench/peers.slow.test.ts",
    "test/bench/samples.slow.test.ts",
    "test/bench/subscribers.slow.test.ts",
    "test/cli/eval/truth-arms.slow.test.ts",
    "test/evals/page/page.slow.test.ts",
    "test/evals/suite/truth-suite.slow.test.ts",
    "test/examples/evals.slow.test.ts",
  ],
};

/**
 * Long files about hosts and surfaces: a check runs a third of them. Together they took a third of the slow tests' time, and the check has
 * a bound. No test of a wall, of a claim or of an approval is among them. `npm run test:slow` runs all.
 */
export const slowInThirds = [
  "test/host/hosts.slow.test.ts",
  "test/cli/chat/terminal-chat.slow.test.ts",
  "test/site/site.slow.test.ts",
  "test/cases.slow.test.ts",
  "test/dbos/dbos-worker.slow.test.ts",
  "test/cli/tries/tries.slow.test.ts",
  "test/cli/outputs/jobs.slow.test.ts",
  "test/dbos/host-on-dbos.slow.test.ts",
  "test/studio/studio.slow.test.ts",
  "test/studio/page.slow.test.ts",
  "test/restate/host-on-restate.slow.test.ts",
  "test/cli/chat/by-lines.slow.test.ts",
  "test/server/mounts.slow.test.ts",
  "test/model/text/properties.slow.test.ts",
  "test/cli/command.slow.test.ts",
  "test/cli/serve/serve-telemetry.slow.test.ts",
  "test/evals/tries/rivals.slow.test.ts",
  "test/cli/loaded.slow.test.ts",
  "test/cli/task/telemetry.slow.test.ts",
  "test/model/openai-types.slow.test.ts",
  "test/cli/mcp-config/open-servers.slow.test.ts",
  "test/cli/until.slow.test.ts",
  "test/cli/eval/run-eval.slow.test.ts",
  "test/cli/mcp/serve-agent.slow.test.ts",
  "test/cli/task/providers.slow.test.ts",
  "test/cli/truth-table.slow.test.ts",
  "test/cli/person/sign-in.slow.test.ts",
];

/**
 * The slow test files that take longest. They come first. A fresh clone knows no durations, and the runner would begin with the largest
 * files: some of these are short texts, and one worker would end with them alone.
 */
export const longestFirst = [
  "test/cli/chat/terminal-chat.slow.test.ts",
  "test/host/hosts.slow.test.ts",
  "test/simulation/simulate.slow.test.ts",
  "test/attacks.slow.test.ts",
  "test/site/site.slow.test.ts",
  "test/shell/sandbox/conformance.slow.test.ts",
  "test/dbos/host-on-dbos.slow.test.ts",
  "test/cli/outputs/jobs.slow.test.ts",
  "test/cases.slow.test.ts",
  "test/docs.slow.test.ts",
  "test/studio/studio.slow.test.ts",
  "test/dbos/dbos-worker.slow.test.ts",
  "test/studio/page.slow.test.ts",
  "test/check.slow.test.ts",
  "test/cli/tries/tries.slow.test.ts",
  "test/restate/host-on-restate.slow.test.ts",
  "test/shell/both-shells.slow.test.ts",
  "test/server/who/approvals.slow.test.ts",
  "test/cli/chat/by-lines.slow.test.ts",
  "test/server/mounts.slow.test.ts",
  "test/cli/serve/serve-telemetry.slow.test.ts",
  "test/core/secret/redact.slow.test.ts",
  "test/bare.slow.test.ts",
  "test/e2e/reading.slow.test.ts",
  "test/permission/real-commands.slow.test.ts",
  "test/cli/command.slow.test.ts",
  "test/evals/tries/rivals.slow.test.ts",
];

/**
 * Slow test files that have tests without a need of a program: a check runs an eighth of them on the bare machine, too. Each was a fast file
 * there, before the fast suite got its bound of two minutes.
 */
export const slowOnBare = [
  "test/ai-sdk/ai-sdk-carrier.slow.test.ts",
  "test/ai-sdk/ai-sdk-faults.slow.test.ts",
  "test/ai-sdk/attachments-on-wires.slow.test.ts",
  "test/ai-sdk/attachments.slow.test.ts",
  "test/ai-sdk/from-ai-sdk.slow.test.ts",
  "test/bench/peers.slow.test.ts",
  "test/bench/samples.slow.test.ts",
  "test/cases-runner.slow.test.ts",
  "test/checks/post-edit.slow.test.ts",
  "test/cli/chat/by-lines.slow.test.ts",
  "test/cli/chat/markdown/markdown.slow.test.ts",
  "test/cli/code/module-files.slow.test.ts",
  "test/cli/command.slow.test.ts",
  "test/cli/delegates/called-agents.slow.test.ts",
  "test/cli/delegates/protected-agents.slow.test.ts",
  "test/cli/docs/serve-docs.slow.test.ts",
  "test/cli/eval/run-eval.slow.test.ts",
  "test/cli/loaded.slow.test.ts",
  "test/cli/mcp-config/open-servers.slow.test.ts",
  "test/cli/mcp/guide-page.slow.test.ts",
  "test/cli/mcp/serve-agent.slow.test.ts",
  "test/cli/mcp/test-server.slow.test.ts",
  "test/cli/modules/load-module.slow.test.ts",
  "test/cli/modules/read-agent.slow.test.ts",
  "test/cli/modules/read-tools.slow.test.ts",
  "test/cli/person/ask-reply.slow.test.ts",
  "test/cli/person/attach-file.slow.test.ts",
  "test/cli/presets/plan.slow.test.ts",
  "test/cli/presets/planner.slow.test.ts",
  "test/cli/replay/bisect-session.slow.test.ts",
  "test/cli/replay/replay-session.slow.test.ts",
  "test/cli/review/start-review.slow.test.ts",
  "test/cli/serve/serve-sessions.slow.test.ts",
  "test/cli/serve/serve-telemetry.slow.test.ts",
  "test/cli/sessions/postgres-store.slow.test.ts",
  "test/cli/sessions/session-file.slow.test.ts",
  "test/cli/sessions/sessions.slow.test.ts",
  "test/cli/show/event-log.slow.test.ts",
  "test/cli/task/providers.slow.test.ts",
  "test/cli/task/telemetry.slow.test.ts",
  "test/cli/truth-table.slow.test.ts",
  "test/cli/until.slow.test.ts",
  "test/cli/work/work-for-others.slow.test.ts",
  "test/core/secret/redact.slow.test.ts",
  "test/create.slow.test.ts",
  "test/e2e/first-character.slow.test.ts",
  "test/e2e/notes.slow.test.ts",
  "test/e2e/repetition.slow.test.ts",
  "test/e2e/suspended-moments.slow.test.ts",
  "test/evals/figures/coverage.slow.test.ts",
  "test/evals/suite/stated-task.slow.test.ts",
  "test/mcp/connect/over-http.slow.test.ts",
  "test/mcp/hostile-servers.slow.test.ts",
  "test/mcp/serve/served-tasks.slow.test.ts",
  "test/mcp/tools/foreign-server.slow.test.ts",
  "test/mcp/tools/official-servers.slow.test.ts",
  "test/memory/session/follow-session.slow.test.ts",
  "test/memory/session/read-long.slow.test.ts",
  "test/memory/session/sound-session.slow.test.ts",
  "test/model/text/xml/stream-calls.slow.test.ts",
  "test/model/wire/body-writer.slow.test.ts",
  "test/options-page.slow.test.ts",
  "test/otel/store-metrics.slow.test.ts",
  "test/packages/optional-package.slow.test.ts",
  "test/permission/chosen-rules.slow.test.ts",
  "test/permission/command/arithmetic.slow.test.ts",
  "test/permission/command/decision-work.slow.test.ts",
  "test/permission/command/shell-constructs.slow.test.ts",
  "test/permission/decide/git-repository.slow.test.ts",
  "test/permission/decide/secret-look.slow.test.ts",
  "test/permission/frozen.slow.test.ts",
  "test/permission/planted-secrets.slow.test.ts",
  "test/permission/walls.slow.test.ts",
  "test/postgres/channels.slow.test.ts",
  "test/postgres/held-log.slow.test.ts",
  "test/postgres/left-runs.slow.test.ts",
  "test/postgres/pg-lock.slow.test.ts",
  "test/postgres/pg-store.slow.test.ts",
  "test/postgres/stored-limits.slow.test.ts",
  "test/postgres/stores.slow.test.ts",
  "test/postgres/tables.slow.test.ts",
  "test/scenarios/gate.slow.test.ts",
  "test/scenarios/mcp.slow.test.ts",
  "test/scenarios/paths.slow.test.ts",
  "test/schema/loading.slow.test.ts",
  "test/server/chat/chat-mapper.slow.test.ts",
  "test/server/chat/interrupted.slow.test.ts",
  "test/server/chat/react.slow.test.ts",
  "test/server/chat/waiting.slow.test.ts",
  "test/server/openapi.slow.test.ts",
  "test/server/slow-clients.slow.test.ts",
  "test/shell/both-shells.slow.test.ts",
  "test/shell/output/plain-text.slow.test.ts",
  "test/shell/sandbox/bubblewrap.slow.test.ts",
  "test/shell/sandbox/conformance.slow.test.ts",
  "test/shell/sandbox/find-sandbox.slow.test.ts",
  "test/shell/sandbox/hidden-secrets.slow.test.ts",
  "test/shell/sandbox/landlock.slow.test.ts",
  "test/shell/sandbox/wall-signs.slow.test.ts",
  "test/shell/sandbox/walls.slow.test.ts",
  "test/studio/data/shown-session.slow.test.ts",
  "test/testing/conformance/store-conformance.slow.test.ts",
  "test/testing/conformance/store-lock-cases.slow.test.ts",
  "test/testing/oracle/well-formed-records.slow.test.ts",
  "test/testing/replay/bisect.slow.test.ts",
  "test/testing/replay/kinds-of-sessions.slow.test.ts",
  "test/tools/escape.slow.test.ts",
  "test/tools/run-command-stop.slow.test.ts",
  "test/tools/search/search-files.slow.test.ts",
  "test/tools/workspace/dry-run.slow.test.ts",
];

/** The commit that is checked, in hexadecimal digits; zero without a repository. A bare machine has no git. */
export function commitOf(root) {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const text = stdout?.trim() || headIn(join(root, ".git"));
  return /^[0-9a-f]{40,64}$/.test(text) ? text : "0".repeat(40);
}

function headIn(folder) {
  const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim() : "");
  try {
    const head = read("HEAD");
    const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
    if (ref === undefined) return head;
    return (
      read(ref) ||
      (
        read("packed-refs")
          .split("\n")
          .find((line) => line.endsWith(` ${ref}`)) ?? ""
      ).split(" ")[0]
    );
  } catch {
    // Without a readable repository every check has the same parts.
    return "";
  }
}

/**
 * The parts for the commit: `chaos` and `runtimes`, as in "2/5", and `other`, the steps of one more part: each a command, slow test files or
 * fast ones, or the tests over fetch. `alike` are the fast test files that
 * run on this machine if the part has them. `bare` are the slow test files that run on the bare machine. `left` are the slow test files that
 * this check leaves to others. `turn` is the turn of tests that make a share of many trials in each check: test/turn.ts.
 */
export function partsFor(commit, alike) {
  const number = Number.parseInt(commit.slice(0, 12), 16);
  /** The digits of the number, with a base of one's own for each. */
  const digit = (before, base) => Math.floor(number / before) % base;
  const [chaos, turn] = [digit(1, chaosParts) + 1, digit(chaosParts, turns)];
  const more = Math.floor(number / (chaosParts * turns));
  const others = [
    [
      { name: "tests over fetch" },
      { name: "recordings", command: ["npm", "run", "recordings", "--", "test/recordings/sample.jsonl"] },
      { name: "a real model", command: ["npm", "run", "real", "--", "--short", "--minutes", "2"] },
    ],
    [
      { name: "fast tests that need no program", files: alike },
      { name: "examples", slow: slowInTurn.examples },
    ],
    [
      {
        name: "simulation",
        command: ["npm", "run", "simulate", "--", "--from", String((more % 1_000_000) + 1), "--seeds", "1500"],
      },
    ],
    [
      {
        name: "commands under strace",
        command: [
          ...["npm", "run", "attacks:real", "--", "--count", "800"],
          ...["--seed", String(more % 1_000_000), "--shells", shells[more % shells.length]],
        ],
      },
      { name: "planted commands", slow: slowInTurn.commands },
    ],
    [
      {
        name: "planted faults",
        command: ["npm", "run", "plant", "--", "--part", `${(more % plantParts) + 1}/${plantParts}`],
      },
    ],
    [{ name: "programs beside the package", slow: slowInTurn.beside }],
    [{ name: "evaluations and benches", slow: slowInTurn.measured }],
    [
      { name: "processes that are killed", slow: slowInTurn.killed },
      { name: "stores with planted faults", slow: slowInTurn.planted },
    ],
  ];
  const bare = slowOnBare.filter((_file, index) => index % others.length === turn);
  const runtimes = `${(more % runtimeParts) + 1}/${runtimeParts}`;
  // Not by the turn of the shares: a file would have the same share each time.
  const third = Math.floor(more / shares) % 3;
  const left = slowInThirds.filter((_file, index) => index % 3 !== third);
  return { chaos: `${chaos}/${chaosParts}`, runtimes, other: others[turn], bare, left, turn: more % shares };
}

/** The fast test files that have the same to show on every machine. */
export function filesAlike(root) {
  const found = alike.flatMap((folder) => {
    const names = readdirSync(join(root, "test", folder), { recursive: true });
    return names.map((name) => `test/${folder}/${name}`);
  });
  const usesPrograms = /programs\.js|sandboxes\.js|noPostgres|hasSqlite|left out/;
  return [...found, "test/unknown-options.test.ts"]
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".slow.test.ts"))
    .filter((file) => !usesPrograms.test(readFileSync(join(root, file), "utf8")))
    .sort();
}
