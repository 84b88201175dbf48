// More than 110 planted secrets, in the workspace, in the project around it and in toolchains: real commands find none of them.

import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OpenableWall } from "../../../src/index.js";
import type { CommandExit, Shell } from "../../../src/shell/index.js";
import { bubblewrap, findSandbox } from "../../../src/tools/index.js";
import { finding, folder, folderElsewhere, why } from "../sandboxes.js";
import { has, without } from "../../programs.js";
import { built } from "../../dist.js";

interface Case {
  readonly path: string;
  readonly content: string;
}

const planted = readFileSync(join(import.meta.dirname, "../../cases/secrets/planted.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case)
  // A walk opens no file with the name of source code, and the page says so.
  .filter(({ path }) => path !== "notes.ts");

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Plants the secrets in folders by turns, each in a folder of its own. */
function plant(...places: readonly string[]): void {
  for (const [index, { path, content }] of planted.entries())
    put(join(places[index % places.length] ?? "", `p${String(index)}`, path), content);
}

async function inside(
  root: string,
  command: string,
  {
    opens = [],
    path = process.env["PATH"] ?? "",
    shell = bubblewrap({ root, writable: true }),
  }: { readonly opens?: readonly OpenableWall[]; readonly path?: string; readonly shell?: Shell } = {},
): Promise<{ readonly output: string; readonly exit: CommandExit }> {
  const chunks: Uint8Array[] = [];
  const onOutput = (chunk: Uint8Array): void => void chunks.push(chunk);
  const environment = { PATH: path, HOME: process.env["HOME"] ?? "" };
  const exit = await shell.run(
    { command, folder: root, environment, seconds: 30, onOutput, opens },
    new AbortController().signal,
  );
  return { output: Buffer.concat(chunks).toString(), exit };
}

/** The marks of planted secrets that a command finds below these places. */
async function seenIn(
  root: string,
  places: readonly string[],
  terms: Parameters<typeof inside>[2] = {},
): Promise<string> {
  const quoted = places.map((place) => `'${place}'`).join(" ");
  return (await inside(root, `grep -rlaE 'PLANT|UExBTlQ' ${quoted} 2>/dev/null | sort`, terms)).output;
}

/** A home folder until the end of the test. */
function live(): string {
  const home = folderElsewhere();
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  return home;
}

describe.skipIf(!finding.ok)(`planted secrets${why}`, () => {
  test("are not read in the workspace, and are if the wall is opened", async () => {
    const root = folder();
    plant(root);
    expect(planted.length).toBeGreaterThanOrEqual(110);
    expect(await seenIn(root, [root])).toBe("");
    expect((await seenIn(root, [root], { opens: ["secrets"] })).trim().split("\n").length).toBe(planted.length);
  });

  test("are not read in the project around the workspace, nor in the packages beside it", async () => {
    const home = live();
    const mono = join(home, "dev/mono");
    const root = join(mono, "packages/app");
    plant(join(mono, "conf"), join(mono, "packages/other"), join(root, "conf"));
    mkdirSync(join(mono, ".git"));
    put(join(mono, "package.json"), '{"name":"mono"}');
    put(join(mono, ".env"), "A=PLANT");
    expect(await seenIn(root, [mono])).toBe("");
    expect((await inside(root, "cat ../../package.json; cat ../../.env")).output).toBe('{"name":"mono"}');
    expect((await inside(root, "cat ../../.env", { opens: ["secrets"] })).output).toBe("A=PLANT");
  });

  test("are not read in toolchains, in settings that are shown, and beside a bin on the PATH", async () => {
    const home = live();
    const root = join(home, "dev/project");
    mkdirSync(root, { recursive: true });
    plant(...[".nvm", ".local/share/pnpm", "go", ".pulumi", "tools/thing"].map((place) => join(home, place)));
    for (const place of [".pulumi/bin/pulumi", "tools/thing/bin/thing", ".nvm/versions/node"])
      put(join(home, place), "program");
    put(join(home, ".pulumi/credentials.json"), '{"accounts":"PLANT"}');
    put(join(home, ".pulumi/state"), "PLANT");
    put(join(home, ".cache/puppeteer/profile/Cookies"), "PLANT");
    put(join(home, ".cargo/config.toml"), '[registry]\ntoken = "PLANT0123456789"\n');
    put(join(home, ".gitconfig"), '[url "https://me:PLANT0123@git.example.com/"]\n\tinsteadOf = x\n');
    const path = `${home}/.pulumi/bin:${home}/tools/thing/bin:/usr/bin:/bin`;
    expect(await seenIn(root, [home], { path })).toBe("");
    // The trial of a sandbox does not look for them, and the sandbox that is found does.
    const found = await findSandbox({ root, writable: true });
    expect(await seenIn(root, [home], { path, ...(found.ok && { shell: found.shell }) })).toBe("");
    const shown = await inside(root, "cat ~/.pulumi/bin/pulumi ~/tools/thing/bin/thing ~/.nvm/versions/node", { path });
    expect(shown.output).toBe("programprogramprogram");
  });

  test("are not read at the top of a package, of one with a scope, and of all packages", async () => {
    const root = folder();
    for (const path of [".env", "a/.env", "@b/c/server.key", "a/src/index.js"])
      put(join(root, "node_modules", path), "PLANT");
    expect(await seenIn(root, [root])).toBe(`${root}/node_modules/a/src/index.js\n`);
  });

  test("are not read in the settings of git, and a repository without an account is as usual", async () => {
    const root = folder();
    execFileSync("git", ["init", "-q", root]);
    const config = join(root, ".git/config");
    expect((await inside(root, "git status --short && git config core.bare")).output).toBe("false\n");
    writeFileSync(
      config,
      `${readFileSync(config, "utf8")}[remote "origin"]\n\turl = https://me:PLANT0123@git.example.com/a\n`,
    );
    const { output, exit } = await inside(root, "cat .git/config; git status --short; git remote get-url origin");
    expect(output).not.toContain("PLANT");
    expect(exit.hidden).toEqual([config]);
  });
});

describe.skipIf(!finding.ok)(`links and secrets${why}`, () => {
  test("the target of a link with the name of a secret is hidden, also one outside of the workspace and a hard link", async () => {
    const home = live();
    const root = join(home, "mono/app");
    mkdirSync(join(home, "mono/.git"), { recursive: true });
    put(join(root, "settings/dev.txt"), "PLANT");
    put(join(home, "mono/shared.txt"), "PLANT");
    put(join(root, "settings/copy.txt"), "PLANT");
    symlinkSync("settings/dev.txt", join(root, ".env"));
    symlinkSync("../shared.txt", join(root, ".env.local"));
    linkSync(join(root, "settings/copy.txt"), join(root, "id_rsa"));
    expect(await seenIn(root, [root, join(home, "mono")])).toBe("");
  });

  test("a link of the workspace on the PATH shows nothing that it leads to", async () => {
    const home = live();
    const root = join(home, "dev/project");
    put(join(home, "private/bin/notes"), "PLANT");
    put(join(home, "private/lib/notes"), "PLANT");
    mkdirSync(join(root, "node_modules"), { recursive: true });
    symlinkSync(join(home, "private/bin"), join(root, "node_modules/.bin"));
    symlinkSync(join(home, "private"), join(root, "tools"));
    symlinkSync(join(root, "tools"), join(home, "current"));
    for (const entry of ["node_modules/.bin", "tools/bin"]) {
      const path = `${root}/${entry}:/usr/bin:/bin`;
      expect(await seenIn(root, [join(home, "private")], { path }), entry).toBe("");
    }
    // Through a link at home that leads into the workspace first.
    const path = `${home}/current/bin:/usr/bin:/bin`;
    expect(await seenIn(root, [join(home, "private")], { path })).toBe("");
  });

  test("the settings of git at home are not shown if they lead through the workspace", async () => {
    const home = live();
    const root = join(home, "dotfiles");
    put(join(home, "notes.txt"), "PLANT");
    mkdirSync(root);
    symlinkSync("../notes.txt", join(root, "gitconfig"));
    symlinkSync("dotfiles/gitconfig", join(home, ".gitconfig"));
    expect((await inside(root, "cat ~/.gitconfig ~/notes.txt 2>/dev/null")).output).toBe("");
  });
});

describe.skipIf(!finding.ok)(`links and protected files${why}`, () => {
  const changes = "echo evil > docs/ai.md; rm -f hop; ln -s evil.md hop; echo evil > evil.md";

  test("the target of a link, and each link on the way, stay as they are", async () => {
    const root = folder();
    put(join(root, "docs/ai.md"), "kept");
    symlinkSync("docs/ai.md", join(root, "hop"));
    symlinkSync("hop", join(root, "CLAUDE.md"));
    await inside(root, changes);
    expect(readFileSync(join(root, "CLAUDE.md"), "utf8")).toBe("kept");
    expect(readFileSync(join(root, "docs/ai.md"), "utf8")).toBe("kept");
  });

  test("a target that a command makes for a link to nothing is set aside", async () => {
    const root = folder();
    mkdirSync(join(root, "mcp"));
    symlinkSync("mcp/list.json", join(root, ".mcp.json"));
    const { exit } = await inside(root, "echo '{}' > mcp/list.json");
    expect(exit.setAside).toEqual([join(root, "mcp/list.json")]);
    expect(existsSync(join(root, ".mcp.json"))).toBe(false);
  });

  test("hooks can't be planted in the folder that a .git file names, nor in a target of a hook", async () => {
    const root = folder();
    put(join(root, "data/HEAD"), "ref: refs/heads/main\n");
    put(join(root, "data/hooks/x"), "");
    put(join(root, ".git"), "gitdir: data\n");
    put(join(root, "sub/.git/hooks/x"), "");
    put(join(root, "sub/hook.sh"), "kept");
    symlinkSync("../../hook.sh", join(root, "sub/.git/hooks/pre-commit"));
    for (const opens of [[], ["protected"]] as const)
      await inside(root, "echo evil > data/hooks/pre-commit; echo evil > sub/hook.sh; echo evil > data/config", {
        opens,
      });
    expect(existsSync(join(root, "data/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(root, "sub/hook.sh"), "utf8")).toBe("kept");
  });

  test("a hard link of a protected file can't be written", async () => {
    const root = folder();
    put(join(root, "AGENTS.md"), "kept");
    linkSync(join(root, "AGENTS.md"), join(root, "notes.md"));
    await inside(root, "echo evil > notes.md");
    expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe("kept");
  });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!finding.ok || !isRoot)(`as root${why}${isRoot ? "" : " (left out: this is an ordinary user)"}`, () => {
  /** A folder of the system until the end of the test. */
  function system(): string {
    const place = realpathSync(mkdtempSync("/var/lib/lastcall-test-"));
    execFileSync("chmod", ["755", place]);
    onTestFinished(() => {
      rmSync(place, { recursive: true, force: true });
    });
    return place;
  }

  test("files of the system that an ordinary user can't read are empty", async () => {
    const root = folder();
    const place = system();
    writeFileSync(join(place, "open"), "open\n");
    writeFileSync(join(place, "k3s.yaml"), "PLANT\n", { mode: 0o600 });
    mkdirSync(join(place, "state"), { mode: 0o700 });
    writeFileSync(join(place, "state/tailscaled"), "PLANT\n");
    expect((await inside(root, `cat '${place}'/open; grep -rsh PLANT '${place}'`)).output).toBe("open\n");
  });

  test.skipIf(!has("python3"))(`no socket is reached by whatever name it was bound${without("python3")}`, async () => {
    const root = folder();
    const place = system();
    const before = process.cwd();
    process.chdir(place);
    const server = createServer((connection) => connection.end("REACHED"));
    await new Promise<void>((resolve) => server.listen("app.sock", resolve));
    process.chdir(before);
    onTestFinished(() => void server.close());
    linkSync(join(place, "app.sock"), join(place, "second.sock"));
    for (const name of ["app.sock", "second.sock"]) {
      const script = `import socket; s = socket.socket(socket.AF_UNIX); s.connect('${place}/${name}'); print(s.recv(9))`;
      expect((await inside(root, `python3 -c "${script}" 2>&1`)).output, name).not.toContain("REACHED");
    }
  });
});

test.skipIf(!finding.ok || !has("keyctl"))(
  `a command finds no key of the session${why}${without("keyctl")}`,
  async () => {
    const root = folder();
    const program = `import { bubblewrap } from "${built("tools")}";
const shell = bubblewrap({ root: ${JSON.stringify(root)}, writable: true });
const command = "keyctl print $(keyctl search @s user lastcall-test); keyctl show";
await shell.run({ command, folder: ${JSON.stringify(root)}, environment: { PATH: process.env.PATH }, seconds: 20, onOutput: (chunk) => process.stdout.write(chunk) }, new AbortController().signal);`;
    const session = 'exec keyctl session - sh -c "$0" "$1" "$2"';
    const line = 'keyctl add user lastcall-test PLANTED @s >/dev/null && exec "$0" --input-type=module -e "$1"';
    const child = spawn("sh", ["-c", session, line, process.execPath, program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    for await (const chunk of child.stdout) output += String(chunk);
    expect(output).not.toContain("PLANTED");
    expect(output).toContain("not implemented");
  },
);
