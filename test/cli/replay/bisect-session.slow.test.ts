import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { runHere } from "../command.js";

test("lastcall bisect names the paragraph at which the run departs", async () => {
  const home = mkdtempSync(join(tmpdir(), "bisect-"));
  const agent = (name: string, style: string, more: string): string => {
    const file = join(home, name);
    writeFileSync(
      file,
      `export default { instructions: "You greet.\\n\\n# Style\\n\\n${style}", tools: [], ${more} };\n`,
    );
    return file;
  };
  const one = agent("one.mjs", "Be exact.", "");
  const other = agent("other.mjs", "Be quick.", "maxAttempts: 7, maxParallelReads: 2");
  const sessions = join(home, "sessions");
  const common = ["--sessions", sessions, "--workdir", mkdtempSync(join(tmpdir(), "work-")), "--no-config"];
  {
    await using provider = await scriptedProvider([[call("task_completion", { result: "Hello." })]]);
    const server = ["--model", "m", "--base-url", provider.url];
    expect(await runHere([...common, ...server, "--agent", one, "Greet"])).toMatchObject({ code: 0 });
  }
  const id = (await runHere(["sessions", "--sessions", sessions])).stdout.split(" ")[0] ?? "";
  const { code, stdout } = await runHere(["bisect", id, ...common, "--agent", one, "--against", other]);
  expect(code).toBe(2);
  expect(stdout).toBe(
    [
      "departs at 1/model:1 (request)",
      '  system prompt paragraph 3, under "Style" was "Be exact." and is "Be quick."',
      'because of the instructions, paragraph 3, under "Style"',
      "",
    ].join("\n"),
  );
});
