import { mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptRules } from "../../../src/cli/args/kept-rules.js";
import { temporary } from "../command.js";

async function place(): Promise<AsyncDisposable & { readonly home: string; readonly workdir: string }> {
  const folder = await temporary();
  const path = await realpath(folder.path);
  const [home, workdir] = [join(path, "home"), join(path, "project")];
  await mkdir(workdir);
  return { home, workdir, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("a rule is kept for its folder, beside the rules that another command kept meanwhile", async () => {
  await using at = await place();
  const env = { XDG_CONFIG_HOME: at.home };
  const [one, two] = [await keptRules({ workdir: at.workdir, env }), await keptRules({ workdir: at.workdir, env })];
  await one.keep({ rule: "a" });
  await two.keep({ rule: "b", definition: "d" });
  await two.keep({ rule: "b", definition: "d" });
  expect((await keptRules({ workdir: at.workdir, env })).rules).toEqual([
    { rule: "a" },
    { rule: "b", definition: "d" },
  ]);
  expect((await keptRules({ workdir: at.home, env })).rules).toEqual([]);
});

test("of rules that were kept at the same moment all but one were lost", async () => {
  await using at = await place();
  const env = { XDG_CONFIG_HOME: at.home };
  const all = await Promise.all(Array.from({ length: 10 }, () => keptRules({ workdir: at.workdir, env })));
  await Promise.all(all.map((kept, index) => kept.keep({ rule: `r${String(index)}` })));
  const { rules } = await keptRules({ workdir: at.workdir, env });
  expect(rules.map(({ rule }) => rule).sort()).toEqual(all.map((_kept, index) => `r${String(index)}`));
  expect((await readdir(join(at.home, "lastcall"))).sort()).toEqual(["allowed.json", "lock"]);
});

test("a file that is no JSON is an error that names it, and is not written over", async () => {
  await using at = await place();
  const env = { XDG_CONFIG_HOME: at.home };
  await mkdir(join(at.home, "lastcall"), { recursive: true });
  const path = join(at.home, "lastcall/allowed.json");
  const kept = await keptRules({ workdir: at.workdir, env });
  await writeFile(path, '{ "x": ');
  await expect(kept.keep({ rule: "a" })).rejects.toThrow(path);
  await expect(keptRules({ workdir: at.workdir, env })).rejects.toThrow("Mend it, or delete it");
  expect(await readFile(path, "utf8")).toBe('{ "x": ');
});

test("a file in the workspace, also behind a link, gives no rules and keeps none", async () => {
  await using at = await place();
  const inside = join(at.workdir, "config/lastcall");
  await mkdir(inside, { recursive: true });
  await writeFile(join(inside, "allowed.json"), JSON.stringify({ [at.workdir]: [{ rule: "run_command" }] }));
  await mkdir(at.home);
  await symlink(inside, join(at.home, "lastcall"));
  for (const home of [join(at.workdir, "config"), at.home]) {
    const kept = await keptRules({ workdir: at.workdir, env: { XDG_CONFIG_HOME: home } });
    expect(kept.rules).toEqual([]);
    await expect(kept.keep({ rule: "a" })).rejects.toThrow("lies in the workspace");
  }
});
