// A rule chosen at a question of the command: what really ran, in this command and in the next.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { inTerminal, noTerminal, runHere, temporary } from "../command.js";

const done = [call("task_completion", { result: "all done" })];
const running = (command: string): ReturnType<typeof call> => call("run_command", { command });

/** A workspace whose tests write down their words, and a home folder beside it. */
async function project(): Promise<AsyncDisposable & { readonly home: string; readonly root: string }> {
  const folder = await temporary();
  const [home, root] = [join(folder.path, "home"), join(folder.path, "project")];
  await mkdir(root);
  await writeFile(join(root, "package.json"), JSON.stringify({ scripts: { test: "node write-words.cjs" } }));
  const code = `require("fs").appendFileSync("ran.txt", process.argv.slice(2).join(" ") + "\\n")`;
  await writeFile(join(root, "write-words.cjs"), code);
  return { home, root, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test.skipIf(noTerminal)(
  `a person keeps a rule for the tests: the next call and the next command are not asked, and no other command runs${noTerminal}`,
  async () => {
    await using place = await project();
    const { home, root } = place;
    await using provider = await scriptedProvider([[running("npm test -- one")], [running("npm test -- two")], done]);
    const env = { XDG_CONFIG_HOME: home };
    const at = `--no-sandbox --no-save --base-url ${provider.url} --model m --workdir ${root}`;
    const { child, ended, seen } = inTerminal(`"do it" ${at}`, env);
    await seen("r = by a rule, e = explain] ");
    child.stdin?.write("r\r");
    await seen("run_command(npm test -- one)");
    await seen("run_command(npm test *)");
    await seen("2k: kept for this folder; Enter: back] ");
    child.stdin?.write("2k\r");
    const { code, stdout } = await ended;
    expect(code, stdout).toBe(0);
    expect(stdout.split("wants to run")).toHaveLength(2);
    expect(await readFile(join(root, "ran.txt"), "utf8")).toBe("one\ntwo\n");
    const kept = JSON.parse(await readFile(join(home, "lastcall/allowed.json"), "utf8")) as unknown;
    expect(kept).toEqual({ [root]: [{ rule: "run_command(npm test *)" }] });

    const attacks = ["; touch made", "\ntouch made", " $(touch made)", " > made", "x", " && touch made", " | tee made"];
    await using next = await scriptedProvider([
      [running("npm test -- three")],
      ...attacks.map((attack) => [running(`npm test${attack}`)]),
      done,
    ]);
    const line = ["do it", "--no-sandbox", "--no-save", "--base-url", next.url, "--model", "m", "--workdir"];
    const after = await runHere([...line, root], env);
    expect(after.stderr).toContain(`${String(attacks.length)} calls were refused`);
    expect(await readFile(join(root, "ran.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(existsSync(join(root, "made"))).toBe(false);

    await using other = await project();
    await using elsewhere = await scriptedProvider([[running("npm test -- four")], done]);
    await runHere([...line.with(4, elsewhere.url), other.root], env);
    expect(existsSync(join(other.root, "ran.txt"))).toBe(false);
  },
);

test.skipIf(noTerminal)(
  `of rules that persons kept at the same moment, in commands of their own, some were lost${noTerminal}`,
  async () => {
    await using home = await temporary();
    const rules = ["one", "two", "three", "four", "five"];
    await using provider = await scriptedProvider(({ lastText }) => {
      const name = rules.find((rule) => lastText.includes(`run ${rule}`));
      return name === undefined ? done : [running(`npm test -- ${name}`)];
    });
    await using place = await project();
    const at = `--no-sandbox --no-save --base-url ${provider.url} --model m --workdir ${place.root}`;
    const commands = rules.map((rule) => inTerminal(`"run ${rule}" ${at}`, { XDG_CONFIG_HOME: home.path }));
    for (const { child, seen } of commands) {
      await seen("r = by a rule, e = explain] ");
      child.stdin?.write("r\r");
      await seen("2k: kept for this folder; Enter: back] ");
    }
    for (const { child } of commands) child.stdin?.write("1k\r");
    for (const { ended } of commands) expect((await ended).stdout).toContain("Kept in ");
    const kept = JSON.parse(await readFile(join(home.path, "lastcall/allowed.json"), "utf8")) as Record<
      string,
      unknown
    >;
    const all = rules.map((rule) => ({ rule: `run_command(npm test -- ${rule})` }));
    expect(kept[place.root]).toHaveLength(all.length);
    expect(kept[place.root]).toEqual(expect.arrayContaining(all));
  },
);

test.skipIf(noTerminal)(
  `a read beside the call for which a rule was chosen was asked about although the rule covers it${noTerminal}`,
  async () => {
    await using place = await project();
    const { home, root } = place;
    await mkdir(join(root, "src"));
    for (const name of ["a", "b"]) await writeFile(join(root, "src", name), `text of ${name}`);
    const reads = ["src/a", "src/b"].map((path) => call("read_file", { path }));
    await using provider = await scriptedProvider([reads, done]);
    const at = `--no-save --base-url ${provider.url} --model m --workdir ${root} --allow "read_file(docs/**)"`;
    const { child, ended, seen } = inTerminal(`"do it" ${at}`, { XDG_CONFIG_HOME: home });
    await seen("r = by a rule, e = explain] ");
    child.stdin?.write("r\r");
    await seen("read_file(src/**)");
    await seen("Enter: back] ");
    child.stdin?.write("2\r");
    const { code, stdout } = await ended;
    expect(code, stdout).toBe(0);
    expect(stdout.split("wants to read")).toHaveLength(2);
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain("text of b");
  },
);
