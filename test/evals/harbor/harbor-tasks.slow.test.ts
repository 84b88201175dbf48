// Harbor tasks tried with the paths of their container: the tests come after the run, and their reward is the truth.

import { describe, expect, test } from "vitest";
import { evaluation, harborTasks } from "../../../src/evals/index.js";
import { call, type Step } from "../../../src/testing/index.js";
import { without } from "../../programs.js";
import { agentWith, claim, drained, modelThat, newFolder } from "../world.js";
import { taskFolder, unmetOf } from "./harbor-world.js";

const out = without("bwrap");
const writes = (text: string): Step => [call("write_file", { path: "lines.txt", content: text })];

describe.skipIf(out !== "")(`in namespaces${out}`, () => {
  test("the tests come after the run and tell a right end from a false claim", async () => {
    const plan = evaluation({
      tasks: await harborTasks(taskFolder()),
      variants: { bare: agentWith() },
      models: { right: modelThat([writes("3\n"), claim]), liar: modelThat([claim]) },
      trials: 1,
    });
    const { report, events } = await drained(plan, { base: newFolder() });
    const rows = report.rows.map(({ id, result, truth }) => [id, result, truth]);
    expect(rows).toEqual([
      ["count-lines.bare.liar.1", "no", "no"],
      ["count-lines.bare.right.1", "yes", "yes"],
    ]);
    expect(report.rows[0]?.why).toMatch(/^reward 0; exit code 0/);
    expect(events).toContainEqual({ type: "control", task: "count-lines", unmet: undefined });
  });

  test("a command works in the folder, and the words say which folder is meant", async () => {
    const [task] = await harborTasks(taskFolder());
    expect(task?.input).toBe(
      "Count the lines of /app/access.log. Write the number into /app/lines.txt.\n\nThe folder /app is your working directory here. Name its files relative to it: notes.txt in place of /app/notes.txt.",
    );
    const plan = evaluation({
      tasks: [task!],
      variants: { shell: { command: ["sh", "-c", "ls /tests /solution; echo 3 > lines.txt"] } },
      trials: 1,
    });
    const { report } = await drained(plan, { base: newFolder() });
    expect(report.rows[0]).toMatchObject({ result: "yes", truth: "yes" });
  });

  test.each([
    ["0.75 is a no", "echo 0.75 > /logs/verifier/reward.txt", undefined, "reward 0.75"],
    [
      "reward.json comes before reward.txt",
      "echo 0 > /logs/verifier/reward.txt; echo '{\"reward\": 1.0}' > /logs/verifier/reward.json",
      "yes",
      "",
    ],
    ["one field of another name counts", "echo '{\"correct\": 1}' > /logs/verifier/reward.json", "yes", ""],
  ])("%s", async (_name, script, answer, why) => {
    const path = taskFolder({ "tests/test.sh": `#!/bin/sh\n${script}\n` });
    const [task] = await harborTasks(path);
    const truth = task?.truth;
    if (typeof truth !== "object") throw new Error("The task has no truth.");
    const asked = await truth.ask(newFolder(), ".", new AbortController().signal);
    expect(asked.is).toBe(answer ?? "no");
    expect(asked.why).toContain(why);
  });

  test.each([
    [
      "tests that write no reward",
      { "tests/test.sh": "#!/bin/sh\nset -e\nfalse\necho 0 > /logs/verifier/reward.txt\n" },
      "wrote no reward",
    ],
    [
      "an empty reward",
      { "tests/test.sh": "#!/bin/sh\n: > /logs/verifier/reward.txt\n" },
      'reward.txt holds no reward, but ""',
    ],
    [
      "a reward that is no number",
      { "tests/test.sh": "#!/bin/sh\necho nan > /logs/verifier/reward.txt\n" },
      "holds no reward",
    ],
    [
      "several rewards of other names",
      { "tests/test.sh": '#!/bin/sh\necho \'{"a": 1, "b": 0}\' > /logs/verifier/reward.json\n' },
      "holds no reward",
    ],
    [
      "tests that need a program",
      { "tests/test.sh": "#!/bin/sh\nno-such-program && echo 1 > /logs/verifier/reward.txt\n" },
      "no-such-program",
    ],
    [
      "a solution that does not pass",
      { "solution/solve.sh": "#!/bin/sh\necho 4 > /app/lines.txt\n" },
      "said no about the task's own solution: reward 0",
    ],
    ["a solution that fails", { "solution/solve.sh": "#!/bin/sh\nexit 3\n" }, "its solution failed here: exit code 3"],
    [
      "tests that pass at once",
      { "tests/test.sh": "#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n" },
      "said yes before anything was done",
    ],
    [
      "a command that fails",
      { "environment/Dockerfile": "FROM ubuntu\nWORKDIR /app\nRUN mkdir /data\n" },
      'line "RUN mkdir /data" failed here',
    ],
    ["a file that is missing", { "environment/access.log": undefined }, "access.log"],
    [
      "a program that names the work folder",
      {
        "environment/Dockerfile": "FROM ubuntu\nWORKDIR /app\nCOPY count.sh access.log /app\n",
        "environment/count.sh": "wc -l /app/access.log\n",
      },
      "its file count.sh names /app",
    ],
    [
      "tests that never end",
      { "task.toml": "[verifier]\ntimeout_sec = 0.3\n", "tests/test.sh": "#!/bin/sh\nexec tail -f /dev/null\n" },
      "took too long",
    ],
  ])("%s: void, with the reason", async (_name, files, why) => {
    expect(await unmetOf(taskFolder(files))).toContain(why);
  });

  test("programs that a Dockerfile installs may be here: the solution shows it", async () => {
    const dockerfile =
      "FROM ubuntu\nWORKDIR /app\nCOPY . .\nRUN apt-get update && apt-get install -y coreutils\nRUN mkdir out\n";
    expect(await unmetOf(taskFolder({ "environment/Dockerfile": dockerfile }))).toBeUndefined();
  });

  test("a script sees the machine read-only, and its own paths", async () => {
    const path = taskFolder({
      "tests/test.sh":
        '#!/bin/sh\ntouch /etc/made /made 2>/dev/null && exit\ntouch /tests/made /app/made /tmp/made && test "$KEY" = given && echo 1 > /logs/verifier/reward.txt\n',
      "task.toml": '[verifier]\nenv = { KEY = "${NOT_SET_ANYWHERE:-given}" }\n',
    });
    const [task] = await harborTasks(path);
    if (typeof task?.truth !== "object") throw new Error("The task has no truth.");
    expect(await task.truth.ask(newFolder(), ".", new AbortController().signal)).toMatchObject({ is: "yes" });
  });
});
