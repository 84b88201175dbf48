import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runHere } from "../command.js";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-init-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("without a terminal it makes an agent, and says what comes next in the words of the package manager", async () => {
  const folder = join(await emptyFolder(), "my-agent");
  const env = { npm_config_user_agent: "pnpm/10.2.0 npm/? node/v22.18.0 linux x64" };
  const { code, stdout, stderr } = await runHere(["init", folder], env);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("from the template agent: .gitignore, README.md, agent.test.ts");
  expect(stdout).toMatch(/Next:\n {2}cd \S*my-agent\n {2}pnpm install\n {2}pnpm test\n {2}pnpm start\n$/);
  expect(await readdir(folder)).not.toContain("node_modules");
});

test("--template makes the project of that name", async () => {
  const folder = join(await emptyFolder(), "service");
  const { code, stdout } = await runHere(["init", folder, "--template", "service", "--yes"]);
  expect([code, stdout.includes("from the template service")]).toEqual([0, true]);
});

test("an unknown template is refused with the templates that there are", async () => {
  const folder = join(await emptyFolder(), "x");
  const { code, stderr } = await runHere(["init", folder, "--template", "robot"]);
  expect([code, stderr]).toEqual([
    4,
    'lastcall: --template "robot" is none of agent, desk, coding, service. See lastcall --help.\n',
  ]);
});

test("--install that fails leaves the project, says so, and ends with exit code 1", async () => {
  const folder = join(await emptyFolder(), "x");
  const { code, stderr } = await runHere(["init", folder, "--install"], {
    npm_config_user_agent: "bun/0.0.0",
    PATH: "/nowhere",
  });
  expect([code, stderr]).toEqual([1, "bun install failed. The project is there: try it again.\n"]);
  expect(await readdir(folder)).toContain("package.json");
});
