import { symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { command, type Shell, type ShellCommand } from "../../src/checks/index.js";
import { pause, print, printEnvironment } from "../programs.js";
import { asked, exists, folderOf } from "./folder.js";

describe("a command as a check", () => {
  it("passes on the exit code 0 alone, and says the code and what was printed", async () => {
    expect(await command("echo fine; echo odd >&2").verify(asked())).toEqual({
      passed: true,
      output: "exit code 0\nfine\nodd\n",
      exitCode: 0,
    });
    expect(await command("echo no; exit 7").verify(asked())).toEqual({
      passed: false,
      output: "exit code 7\nno\n",
      exitCode: 7,
    });
    expect(await command("no-such-program-here").verify(asked())).toMatchObject({ passed: false, exitCode: 127 });
  });

  it("is named after its command line unless it has a name, and runs in its folder", async () => {
    expect(command("npm test").name).toBe("npm test");
    expect(command("npm test", { name: "tests" }).name).toBe("tests");
    const folder = await folderOf();
    const { output } = await command("pwd -P", { cwd: folder }).verify(asked());
    expect(output).toBe(`exit code 0\n${folder}\n`);
  });

  it("gets the plain variables and those it is given, and no key of this process", async () => {
    process.env["LASTCALL_TEST_KEY"] = "secret";
    const { output } = await command(printEnvironment, { env: { COLOUR: "blue" } }).verify(asked());
    delete process.env["LASTCALL_TEST_KEY"];
    expect(output).toContain("COLOUR=blue");
    expect(output).toContain("PATH=");
    expect(output).not.toContain("secret");
  });

  it("is asked at claims alone, unless it is to be asked after iterations", () => {
    expect(command("npm test").every).toBe("claim");
    expect(command("npm test", { every: "iteration" }).every).toBe("iteration");
  });

  it("is ended with all that it started where it takes too long, and has not passed", async () => {
    const folder = await folderOf();
    const began = performance.now();
    const line = `(${pause(1)}; echo late > late) & echo started; ${pause(30)}`;
    const verdict = await command(line, { cwd: folder, timeout: 300 }).verify(asked());
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(verdict).toEqual({ passed: false, output: "timed out after 0.3 s; killed\nstarted\n" });
    await sleep(1500);
    expect(await exists(folder, "late")).toBe(false);
  });

  it("with ten megabytes on standard error keeps both ends of it", async () => {
    const line = `echo first >&2; ${print(10_000_000)} >&2; echo; echo last >&2; exit 1`;
    const { passed, output } = await command(line).verify(asked());
    expect(passed).toBe(false);
    expect(output.length).toBeLessThan(9000);
    expect(output).toMatch(/^exit code 1\nfirst\nx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\n+last\n$/);
  });

  it("has no colours of a terminal in its output, and of progress the last state", async () => {
    const line = String.raw`printf '\033[31mred\033[0m\n1%%\r2%%\n'`;
    expect(await command(line).verify(asked())).toMatchObject({ output: "exit code 0\nred\n2%\n" });
  });

  it("is run by the shell that it is given", async () => {
    const seen: ShellCommand[] = [];
    const shell: Shell = {
      description: "A shell that says no.",
      walls: ["files", "protected", "network", "home", "secrets"],
      run(said) {
        seen.push(said);
        said.onOutput(Buffer.from("no"));
        return Promise.resolve({ how: "exited", code: 1 });
      },
    };
    const cwd = await folderOf();
    const check = command("npm test", { cwd, shell, timeout: 3000 });
    expect(await check.verify(asked())).toEqual({ passed: false, output: "exit code 1\nno", exitCode: 1 });
    expect(seen).toMatchObject([{ command: "npm test", folder: cwd, seconds: 3 }]);
  });

  it.each(["relative", "linked"])(
    "a %s folder was none in a sandbox: the shell is given its real path",
    async (how) => {
      const folders: string[] = [];
      const shell: Shell = {
        description: "A shell that notes where it is.",
        walls: ["files", "protected", "network", "home", "secrets"],
        run({ folder }) {
          folders.push(folder);
          return Promise.resolve({ how: "exited", code: 0 });
        },
      };
      const folder = await folderOf();
      const link = join(await folderOf(), "link");
      await symlink(folder, link);
      await command("true", { cwd: how === "linked" ? link : relative(process.cwd(), folder), shell }).verify(asked());
      expect(folders).toEqual([folder]);
    },
  );

  it("that leaves a daemon behind is not waited for", async () => {
    const began = performance.now();
    expect(await command(`(${pause(20)} &) ; echo ok`).verify(asked())).toMatchObject({ passed: true });
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it("reads nothing from the terminal", async () => {
    expect(await command("read line && echo input; echo end").verify(asked())).toMatchObject({
      output: "exit code 0\nend\n",
    });
  });

  it("settles soon after an abort, with the abort's reason", async () => {
    const abort = new AbortController();
    const running = command(pause(30)).verify(asked(undefined, abort.signal));
    await sleep(50);
    abort.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  it.each([
    [() => command(" "), "needs a command"],
    [() => command("npm test", { timeout: -1 }), "timeout is -1"],
    [() => command("npm test", { protect: ["!test/**"] }), "begins with !"],
    [() => command("npm test", { watch: ["../test"] }), "leads out of the folder"],
  ])("that makes no sense is refused when it is made", (make, words) => {
    expect(make).toThrow(words);
  });
});
