// The sandbox: real processes inside it test each of its walls.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket, type AddressInfo, type Server } from "node:net";
import { release } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bubblewrap, findSandbox, type SandboxOptions } from "../../../src/tools/index.js";
import { commandLines } from "../../chaos/processes.js";
import { expectNoMoreBeats, finding, folder, folderElsewhere, run, stubborn, untilBeating, why } from "../sandboxes.js";
import "../../dist.js";

/** The output of a command in a sandbox. Its workspace is writable unless the options say otherwise. */
async function inside(root: string, command: string, options: Partial<SandboxOptions> = {}): Promise<string> {
  const { ending, output } = await run(bubblewrap({ root, writable: true, ...options }), root, command);
  if (ending.how !== "exited") throw new Error(`${command} has ended: ${JSON.stringify(ending)}; output: ${output}`);
  return output;
}

function put(root: string, path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

/** Makes the folder the home folder until the end of the test. */
function live(home: string): void {
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function listen(server: Server, ...where: [string] | [number, string]): Promise<AddressInfo> {
  server.listen(...(where as [number, string]));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server.address() as AddressInfo;
}

const node = `'${process.execPath}'`;

describe.skipIf(!finding.ok)(`files${why}`, () => {
  test("outside the workspace can't be made, changed or removed", async () => {
    const [root, other] = [folder(), folderElsewhere()];
    const kept = put(other, "kept", "as it was");
    const tries = [
      `touch ${other}/made`,
      `echo x > ${kept}`,
      `rm ${kept}`,
      "touch /etc/made",
      "touch ~/made",
      "mkdir /made",
    ];
    for (const line of tries) expect(await inside(root, `(${line}) 2>/dev/null && echo done`)).not.toContain("done");
    expect(existsSync(join(other, "made"))).toBe(false);
    expect(readFileSync(kept, "utf8")).toBe("as it was");
  });

  test("of the workspace can be changed, or not, as the option says", async () => {
    const root = folder();
    put(root, "old", "old");
    expect(await inside(root, "echo new > new && echo more >> old && cat old")).toBe("oldmore\n");
    expect(readFileSync(join(root, "new"), "utf8")).toBe("new\n");
    const said = await inside(root, "cat old; echo x > made; rm new; echo x > old", { writable: false });
    expect(said.match(/Read-only file system/g)).toHaveLength(3);
    expect(existsSync(join(root, "made"))).toBe(false);
  });

  test("walls can't be taken down from within, as root neither", async () => {
    const [root, other] = [folder(), folderElsewhere()];
    const tries = [
      `mount -o remount,rw,bind / `,
      "umount /tmp",
      `mount --bind ${root} /etc`,
      "unshare -rm umount /tmp",
    ];
    for (const line of tries) expect(await inside(root, `${line} 2>/dev/null && echo done`)).not.toContain("done");
    expect(await inside(root, "grep CapEff /proc/self/status; grep CapBnd /proc/self/status")).toMatch(
      /^\w+:\t0+\n\w+:\t0+\n$/,
    );
    expect(await inside(root, `unshare -rm sh -c 'mount -o remount,rw,bind / ; touch ${other}/made'`)).not.toBe("");
    expect(existsSync(join(other, "made"))).toBe(false);
  });

  test("of the kernel's settings can't be opened for writing, as root neither", async () => {
    // Nothing is written: the shell opens the file for appending, and no more.
    const settings = ["kernel/core_pattern", "kernel/printk", "vm/overcommit_memory", "vm/drop_caches"];
    const tries = settings.map(
      (name) => `(: >> /proc/sys/${name}) 2>/dev/null && echo ${name}; test -w /proc/sys/${name} && echo ${name}`,
    );
    for (const writable of [true, false])
      expect(await inside(folder(), `${tries.join("; ")}; :`, { writable })).toBe("");
    expect(await inside(folder(), "cat /proc/sys/kernel/ostype")).toBe("Linux\n");
  });

  test("of the host's /tmp, /var/tmp and /run are not there; its own /tmp can be used and does not last", async () => {
    const root = folder();
    const beside = folder();
    put(beside, "secret", "secret");
    expect(await inside(root, "ls /tmp")).toBe(root.startsWith("/tmp/") ? `${root.split("/")[2] ?? ""}\n` : "");
    expect(await inside(root, "ls -A /var/tmp /run | grep -v ':$'")).toBe("\n");
    expect(await inside(root, "echo x > /tmp/mine && cat /tmp/mine && mktemp >/dev/null && echo made")).toBe(
      "x\nmade\n",
    );
    expect(await inside(root, "cat /tmp/mine")).toContain("No such file");
    expect(existsSync("/tmp/mine")).toBe(false);
  });

  test("that are temporary go to its own /tmp, wherever TMPDIR leads outside", async () => {
    const root = folder();
    const shell = bubblewrap({ root, writable: true });
    const { output } = await run(shell, root, "mktemp", { environment: { TMPDIR: folderElsewhere() } });
    expect(output).toMatch(/^\/tmp\//);
  });

  test("that this process got from another as open ones are not passed on", async () => {
    const [root, other] = [folder(), folderElsewhere()];
    put(other, "secret", "secret");
    const descriptor = openSync(other, "r");
    onTestFinished(() => {
      closeSync(descriptor);
    });
    const at = "/proc/self/fd/40";
    const command = `readlink ${at} > link; ls ${at}/ > list; touch ${at}/made`;
    // Node handles the descriptors with low numbers itself, so this one is high.
    const stdio = Array.from({ length: 41 }, (_, number) => (number === 40 ? descriptor : ("ignore" as const)));
    spawnSync(process.execPath, [join(import.meta.dirname, "../victim.mjs"), root, command], { stdio });
    expect(readFileSync(join(root, "link"), "utf8")).not.toContain("shell-");
    expect(readFileSync(join(root, "list"), "utf8")).not.toContain("secret");
    expect(existsSync(join(other, "made"))).toBe(false);
  });

  test("can be shown although they are hidden, and hidden besides the usual", async () => {
    const [root, data] = [folder(), folder()];
    put(data, "table", "1,2\n");
    put(root, ".env", "KEY=1\n");
    put(root, "private/note", "mine\n");
    expect(await inside(root, `cat ${data}/table`, { readable: [data] })).toBe("1,2\n");
    expect(await inside(root, `touch ${data}/made`, { readable: [data] })).toContain("Read-only");
    expect(await inside(root, "cat .env; ls private; echo x > private/made", { hidden: [".env", "private"] })).toMatch(
      /^\/bin\/sh: .*private\/made: Read-only file system\n$/,
    );
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("KEY=1\n");
  });
});

describe.skipIf(!finding.ok)(`keys in the home folder${why}`, () => {
  test("are not there, whether they are files, folders or links", async () => {
    const home = folderElsewhere();
    for (const path of [".ssh/id", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc"])
      put(home, path, "secret");
    put(home, "elsewhere/config", "secret");
    symlinkSync(join(home, "elsewhere"), join(home, ".kube"));
    put(home, "notes.txt", "notes\n");
    live(home);
    const said = await inside(
      home,
      "cat .ssh/id .aws/* .config/gh/* .netrc .npmrc .kube/config elsewhere/config; cat notes.txt",
    );
    expect(said).not.toContain("secret");
    expect(said).toMatch(/notes\n$/);
    expect(await inside(home, "touch .ssh/authorized_keys; echo x > .netrc")).toMatch(/Read-only[^]*Read-only/);
    expect(readFileSync(join(home, ".netrc"), "utf8")).toBe("secret");
  });

  test("are there where the workspace is among them, or they are asked for", async () => {
    const home = folderElsewhere();
    put(home, ".config/gh/hosts.yml", "secret");
    put(home, ".npmrc", "registry\n");
    const root = dirname(put(home, ".config/gh/extensions/mine/main.sh", "mine\n"));
    live(home);
    expect(await inside(root, "cat main.sh; cat ../../hosts.yml")).toMatch(/^mine\ncat: .*No such file/);
    expect(await inside(home, "cat .npmrc", { readable: ["~/.npmrc"] })).toBe("registry\n");
  });
});

describe.skipIf(!finding.ok)(`readable paths${why}`, () => {
  test("is what was there when the sandbox was made, not what a command puts in its place", async () => {
    const home = folderElsewhere();
    put(home, ".ssh/id", "secret");
    put(home, "data/table", "1,2\n");
    live(home);
    const shell = bubblewrap({ root: home, writable: true, readable: ["data"] });
    expect((await run(shell, home, "cat data/table")).output).toBe("1,2\n");
    rmSync(join(home, "data"), { recursive: true });
    symlinkSync(".ssh", join(home, "data"));
    expect((await run(shell, home, "cat .ssh/id data/id")).output).not.toContain("secret");
  });
});

describe.skipIf(!finding.ok)(`the network${why}`, () => {
  const server = createServer((_request, response) => response.end("reached"));

  test("is not there, unless it is allowed", async () => {
    const root = folder();
    const { port } = await listen(server, 0, "127.0.0.1");
    const get = `${node} -e 'fetch("http://127.0.0.1:${String(port)}/").then(async (a) => console.log(await a.text()), (e) => console.log(e.cause.code))'`;
    expect(await inside(root, get)).toBe("ECONNREFUSED\n");
    expect(await inside(root, get, { network: true })).toBe("reached\n");
  });

  test("is not the way to a socket in the file system either, where these usually are", async () => {
    const root = folder();
    const path = join(folder(), "socket");
    await listen(
      createSocket((socket) => socket.end("reached")),
      path,
    );
    const get = `${node} -e 'require("net").connect("${path}").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'`;
    expect(await inside(root, get, { network: true })).toBe("ENOENT\n");
  });
});

describe.skipIf(!finding.ok)(`processes${why}`, () => {
  test("of the host are neither seen nor reached", async () => {
    const root = folder();
    const other = spawn("sleep", ["86432"]);
    onTestFinished(() => void other.kill());
    expect(await inside(root, "cat /proc/*/cmdline | tr '\\0' ' '")).not.toContain("sleep 86432");
    expect(await inside(root, `kill -9 ${String(other.pid)} 2>&1`)).toContain("No such process");
    await inside(root, "kill -9 -1");
    expect(other.exitCode ?? other.signalCode).toBe(null);
  });

  test("that leave their group and session are gone when the command is", async () => {
    const root = folder();
    await inside(root, `setsid nohup ${stubborn} >/dev/null 2>&1 & until test -s beats; do sleep 0.02; done`);
    await expectNoMoreBeats(root);
  });

  test("are gone when this one is killed", async () => {
    const root = folder();
    const victim = spawn(process.execPath, [
      join(import.meta.dirname, "../victim.mjs"),
      root,
      `setsid ${stubborn} & wait`,
    ]);
    await untilBeating(root);
    victim.kill("SIGKILL");
    await once(victim, "exit");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expectNoMoreBeats(root);
  });

  const [major = 0, minor = 0] = release().split(".").map(Number);
  const isCounted = process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
  const whyNot = isCounted ? "" : " (left out: for root, and before Linux 5.14, nothing is counted)";
  test.skipIf(!isCounted)(`can't be more than the limit${whyNot}`, async () => {
    const root = folder();
    const command = "i=0; while [ $i -lt 500 ]; do sleep 86433 & i=$((i+1)); echo $i; done; echo all";
    const said = await inside(root, command, { processes: 50 });
    expect(said).toMatch(/fork/i);
    expect(said).not.toContain("all");
    expect(commandLines().filter((line) => /\b86433/.test(line))).toEqual([]);
  });
});

describe.skipIf(!finding.ok)(`files that are run outside later${why}`, () => {
  test("can't be changed, moved away or made anew in a writable workspace", async () => {
    const root = folder();
    spawnSync("git", ["init", "-q", root]);
    put(root, ".git/hooks/pre-commit", "kept");
    put(root, ".git/config", "[core]\n");
    put(root, ".git/config.worktree", "[core]\n");
    put(root, ".vscode/tasks.json", "kept");
    put(root, ".husky/pre-push", "kept");
    const tries = [
      ...[
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/hooks/post-checkout",
        "rm -rf .git/hooks",
        "mv .git/hooks .git/old",
      ],
      ...[
        "echo x >> .git/config",
        "git config core.fsmonitor ./evil",
        "echo x >> .git/config.worktree",
        "mv .git/config.worktree .git/old",
        "mv .git/config .git/old",
        "ln -sf /etc/passwd .git/config",
      ],
      ...[
        "mv .git old && mkdir -p .git/hooks",
        "rm -rf .git/config",
        "echo x > .vscode/tasks.json",
        "mv .husky old",
        "rm -r .vscode",
      ],
    ];
    for (const line of tries) expect(await inside(root, `(${line}) 2>/dev/null && echo done`), line).toBe("");
    expect(readFileSync(join(root, ".git/hooks/pre-commit"), "utf8")).toBe("kept");
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("[core]\n");
    expect(readFileSync(join(root, ".vscode/tasks.json"), "utf8")).toBe("kept");
    expect(existsSync(join(root, ".git/hooks/post-checkout"))).toBe(false);
  });

  test("does not keep git from its work", async () => {
    const root = folder();
    spawnSync("git", ["init", "-q", root]);
    const who = "-c user.name=a -c user.email=a@b";
    const command = `echo 1 > a && git add a && git ${who} commit -qm first && git checkout -qb other && git mv a b && git ${who} commit -qam second && git log --format=%s`;
    const shell = bubblewrap({ root, writable: true });
    const { output } = await run(shell, root, command, { opens: ["protected"] });
    expect(output).toBe("second\nfirst\n");
  });

  test("can't be made where a repository has no hooks, or is elsewhere", async () => {
    const root = folder();
    mkdirSync(join(root, ".git"));
    expect(await inside(root, "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit")).toContain("Read-only");
    const worktree = folder();
    put(worktree, ".git", "gitdir: /elsewhere\n");
    expect(await inside(worktree, "echo x > .git")).toContain("Read-only");
    expect(await inside(worktree, "rm .git || mv .git old || echo stays")).toContain("stays");
  });

  test("is also what the caller names, with all that is above it", async () => {
    const root = folder();
    put(root, "deploy/scripts/go.sh", "kept");
    const readOnly = ["deploy/scripts/go.sh"];
    expect(await inside(root, "echo x > deploy/scripts/go.sh", { readOnly })).toContain("Read-only");
    expect(await inside(root, "mv deploy old || mv deploy/scripts old || echo stays", { readOnly })).toContain("stays");
    expect(await inside(root, "echo x > deploy/scripts/other && echo done", { readOnly })).toBe("done\n");
  });
});

describe("whether there can be a sandbox", () => {
  test.skipIf(!finding.ok)(`is tried, and it is given${why}`, async () => {
    const root = folder();
    const found = await findSandbox({ root, writable: true });
    expect(found.ok && (await run(found.shell, root, "echo in it")).output).toBe("in it\n");
  });

  test("is told in words if bubblewrap is not installed", async () => {
    vi.stubEnv("PATH", folder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = await findSandbox({ root: folder(), writable: true });
    expect(() => bubblewrap({ root: folder(), writable: true })).toThrow(
      "bubblewrap is not installed (there is no bwrap on the PATH). The package is named bubblewrap.",
    );
    expect(found.ok).toBe(false);
  });

  test("is told in words if bubblewrap is only in the workspace, as in / or /usr", async () => {
    const root = folder();
    put(root, "bin/bwrap", "#!/bin/sh\n: > planted\n");
    chmodSync(join(root, "bin/bwrap"), 0o755);
    vi.stubEnv("PATH", `./bin:${join(root, "bin")}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = await findSandbox({ root, writable: true });
    expect(found.ok || found.reason).toContain(
      process.platform === "darwin"
        ? "sandbox-exec"
        : `bubblewrap is not used, because its program, ${join(root, "bin/bwrap")}, is in the workspace (${root}), where commands may change it. Work in another folder.`,
    );
    expect(() => bubblewrap({ root, writable: true })).toThrow("is in the workspace");
    expect(existsSync(join(root, "planted"))).toBe(false);
  });

  test("is told in words where the system forbids it", async () => {
    const [root, bin] = [folder(), folder()];
    put(bin, "bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
    chmodSync(join(bin, "bwrap"), 0o755);
    vi.stubEnv("PATH", bin);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(run(bubblewrap({ root, writable: true }), root, "true")).rejects.toThrow(
      "No permissions to create new namespace",
    );
    const found = await findSandbox({ root, writable: true });
    if (process.platform === "linux")
      expect(found.ok || found.reason).toMatch(
        /^bubblewrap can't make a sandbox here: .*No permissions to create new namespace.* Landlock needs perl/,
      );
  });

  test("needs a root", async () => {
    const root = join(folder(), basename("gone"));
    await expect(findSandbox({ root, writable: true })).rejects.toThrow("can't be opened");
  });
});
