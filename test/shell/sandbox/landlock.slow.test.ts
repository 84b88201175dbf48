// Landlock: its reasons to refuse, and what it needs of perl. The walls are tested in conformance.test.ts.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { landlock } from "../../../src/tools/index.js";
import { candidates, folder, folderElsewhere, run } from "../sandboxes.js";

const found = candidates.find(({ name }) => name === "Landlock")!.finding;
const why = found.ok ? "" : ` (left out: ${found.reason})`;
const isPossible = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
const whyNot = isPossible ? "" : " (left out: this system is no Linux on x86_64 or arm64)";

function path(folders: string): void {
  vi.stubEnv("PATH", folders);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.skipIf(!isPossible)(`a sandbox of Landlock is refused${whyNot}`, () => {
  test("without perl", () => {
    path(folder());
    expect(() => landlock({ root: folder(), writable: true })).toThrow("Landlock needs perl");
  });

  test("if perl is only in the workspace", () => {
    const root = folder();
    writeFileSync(join(root, "perl"), "#!/bin/sh\n: > planted\n", { mode: 0o755 });
    path(root);
    expect(() => landlock({ root, writable: true })).toThrow("is in the workspace");
    expect(existsSync(join(root, "planted"))).toBe(false);
  });

  test("if a part of the workspace has to be closed: its rules only add", () => {
    const root = folder();
    expect(() => landlock({ root, writable: true, readOnly: ["deploy"] })).toThrow(`it can't close ${root}/deploy`);
    expect(() => landlock({ root, writable: true, hidden: ["x"] })).toThrow(`it can't close ${root}/x`);
    expect(() => landlock({ root: homedir(), writable: true })).toThrow("contains the home folder");
  });

  test("if the kernel refuses, with the reason, and nothing is run", async () => {
    const [root, bin] = [folder(), folder()];
    writeFileSync(join(bin, "perl"), "#!/bin/sh\necho 'sandbox: the kernel has no Landlock' >&2\nexit 125\n");
    chmodSync(join(bin, "perl"), 0o755);
    path(`${bin}:${process.env["PATH"] ?? ""}`);
    await expect(run(landlock({ root, writable: true }), root, "touch made")).rejects.toThrow(
      "The sandbox could not be made (the kernel has no Landlock), so nothing was run.",
    );
    expect(existsSync(join(root, "made"))).toBe(false);
  });
});

describe.skipIf(!found.ok)(`a sandbox of Landlock${why}`, () => {
  test("starts perl without the variables that perl obeys, and the command gets them", async () => {
    const root = folder();
    writeFileSync(join(root, "Planted.pm"), 'open my $f, ">", "planted"; 1;\n');
    const environment = { PERL5LIB: root, PERL5OPT: "-MPlanted" };
    const { output } = await run(landlock({ root, writable: false }), root, 'echo "$PERL5OPT"', { environment });
    expect(output).toBe("-MPlanted\n");
    expect(existsSync(join(root, "planted"))).toBe(false);
  });

  test("takes words of a command that look like its own rules as words", async () => {
    const [root, other] = [folder(), folderElsewhere()];
    const said = await run(landlock({ root, writable: true }), root, `-- ; echo 'w:${other}'; touch ${other}/made`);
    expect(said.output).toContain(`w:${other}`);
    expect(existsSync(join(other, "made"))).toBe(false);
  });

  test("holds for folders whose names have spaces, quotes and line breaks", async () => {
    const root = join(folder(), "a b'\"\n$c\\");
    mkdirSync(root);
    const { output } = await run(landlock({ root, writable: true }), root, "echo x > kept && cat kept");
    expect(output).toBe("x\n");
  });

  test("drops the capabilities of root, and they can't be gained", async () => {
    const { output } = await run(
      landlock({ root: folder(), writable: true }),
      "/",
      "grep -E 'Cap(Eff|Bnd)|NoNew|Seccomp:' /proc/self/status",
    );
    const isRoot = process.getuid?.() === 0;
    expect(output).toMatch(/^CapEff:\t0+$/m);
    if (isRoot) expect(output).toMatch(/^CapBnd:\t0+$/m);
    expect(output).toMatch(/^NoNewPrivs:\t1$/m);
    expect(output).toMatch(/^Seccomp:\t2$/m);
  });

  test("makes no socket of the file system, and programs can still talk to their children", async () => {
    const root = folder();
    const listen = `require("net").createServer().on("error", (e) => console.log(e.code)).listen("socket", () => { console.log("made"); process.exit() })`;
    const fork = `const { fork } = require("child_process"); if (process.send) { process.send("talked"); process.disconnect() } else fork("./fork.cjs").on("message", (word) => console.log(word))`;
    writeFileSync(join(root, "listen.cjs"), listen);
    writeFileSync(join(root, "fork.cjs"), fork);
    const { output } = await run(
      landlock({ root, writable: true }),
      root,
      `'${process.execPath}' listen.cjs; '${process.execPath}' fork.cjs`,
    );
    expect(output).toBe("EACCES\ntalked\n");
  });

  test("shows what the caller names, toolchains and settings of git, and nothing else of the home folder", async () => {
    const home = folderElsewhere();
    const put = (at: string, text: string): void => {
      mkdirSync(dirname(join(home, at)), { recursive: true });
      writeFileSync(join(home, at), text);
    };
    for (const at of [".nvm/x", "data/x"]) put(at, "shown\n");
    put(".gitconfig", "shown = yes\n");
    for (const at of ["notes", "more/x", ".gem/credentials", ".nvm/.env"]) put(at, "hidden\n");
    put(".gem/x", "shown\n");
    put("project/x", "");
    vi.stubEnv("HOME", home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const root = join(home, "project");
    const shell = landlock({ root, writable: true, readable: ["~/data"] });
    const names = ".nvm/x .nvm/.env .gitconfig data/x notes more/x .gem/credentials .gem/x";
    const look = `for file in ${names}; do echo "$file: $(cat "$file" 2>&1)"; done`;
    const { output } = await run(shell, root, `cd "$HOME"; ${look}; echo x >> data/x; cd .nvm && ls`, {
      environment: { HOME: home },
    });
    for (const at of [".nvm/x", ".gitconfig", "data/x", ".gem/x"]) expect(output).toContain(`${at}: shown`);
    expect(output).not.toContain("hidden");
    expect(readFileSync(join(home, "data/x"), "utf8")).toBe("shown\n");
  });
});
