// The contract of every shell, on the host and in a sandbox, as tests.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { plainVariables } from "../../src/shell/index.js";
import type { Shell } from "../../src/tools/index.js";
import { commandLines } from "../chaos/processes.js";
import { has, pause, print, printEnvironment, without } from "../programs.js";
import { expectNoMoreBeats, folder, run, stubborn, untilBeating } from "./sandboxes.js";

/** Declares the tests of a shell. `make` makes one with the workspace `root`. */
export function keepsContract(make: (root: string) => Shell): void {
  test("says what it is", () => {
    const { description, walls } = make(folder());
    const network = walls.includes("network") ? "there is no network" : "the network is open";
    expect(description).toMatch(walls.length > 0 ? new RegExp(`^A sandbox .*${network}\\.$`) : /^No sandbox: /);
  });

  test("gives the exit code", async () => {
    const root = folder();
    expect((await run(make(root), root, "true")).ending).toEqual({ how: "exited", code: 0 });
    expect((await run(make(root), root, "exit 41")).ending).toEqual({ how: "exited", code: 41 });
    expect((await run(make(root), root, "no-such-program")).ending).toEqual({ how: "exited", code: 127 });
    expect((await run(make(root), root, "-x")).ending).toEqual({ how: "exited", code: 127 });
  });

  test("tells when a signal ended the command", async () => {
    const root = folder();
    const shell = make(root);
    const { ending } = await run(shell, root, "kill -9 $$");
    const isWatched = shell.description.includes("bubblewrap");
    expect(ending).toEqual(isWatched ? { how: "exited", code: 137 } : { how: "killed", signal: "SIGKILL" });
  });

  test("keeps the order of both streams", async () => {
    const root = folder();
    const command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf end";
    const { output } = await run(make(root), root, command);
    expect(output).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nend");
  });

  test("starts in the folder with the given variables alone, with empty input and no terminal", async () => {
    const root = folder();
    mkdirSync(join(root, "in"));
    const command = `pwd -P; read line && echo input; test -t 0 || test -t 1 || test -t 2 || echo none; (: < /dev/tty) 2>/dev/null || echo no tty; ${printEnvironment}`;
    const { output } = await run(make(root), join(root, "in"), command, { environment: { MINE: "1" } });
    const [where, ...rest] = output.trim().split("\n");
    expect(where).toBe(join(root, "in"));
    expect(rest.slice(0, 2)).toEqual(["none", "no tty"]);
    const names = rest.slice(2).map((line) => line.split("=")[0]);
    expect(names.filter((name) => !/^(PATH|MINE|PWD|OLDPWD|SHLVL|TMPDIR|_)$/.test(name ?? ""))).toEqual([]);
    expect(names).toContain("MINE");
  });

  test("is not the sh of a folder that PATH names first, as npx and npm scripts do", async () => {
    const root = folder();
    writeFileSync(join(root, "sh"), `#!/bin/sh\necho taken > '${join(root, "mark")}'\n`, { mode: 0o755 });
    const environment = { PATH: `${root}:${process.env["PATH"] ?? ""}` };
    const { output } = await run(make(root), root, "echo ran", { environment });
    expect(output).toBe("ran\n");
    expect(existsSync(join(root, "mark"))).toBe(false);
  });

  test.skipIf(!has("git"))(
    `makes git obey no bare repository in a folder, and wait for nobody${without("git")}`,
    async () => {
      const root = folder();
      const bare = join(root, "e");
      for (const name of ["objects", "refs"]) mkdirSync(join(bare, name), { recursive: true });
      writeFileSync(join(bare, "HEAD"), "ref: refs/heads/main\n");
      const mark = join(root, "mark");
      writeFileSync(
        join(bare, "config"),
        `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch '${mark}' #"\n`,
      );
      const environment = plainVariables();
      const { output } = await run(
        make(root),
        bare,
        "git status; git diff; git init -q ../r && cd ../r && git commit -q --allow-empty; :",
        { environment },
      );
      expect(existsSync(mark)).toBe(false);
      expect(output).toContain("safe.bareRepository");
      expect(output).toMatch(/empty commit message|Please tell me who you are|identity/i);
    },
  );

  test("that can't be started rejects with the reason, and nothing is run", async () => {
    const root = folder();
    const shell = make(root);
    await expect(run(shell, join(root, "gone"), "true")).rejects.toThrow("could not be started");
    await expect(run(shell, root, `: ${"x".repeat(3_000_000)}`)).rejects.toThrow("could not be started");
  });

  test("hands over ten megabytes whole", async () => {
    const root = folder();
    const { output, time } = await run(make(root), root, `${print(10_000_000)}; echo; exit 0`);
    expect(output.length).toBe(10_000_001);
    expect(time).toBeLessThan(30_000);
  });

  describe("at the time limit", () => {
    test("ends the command, which has half a second to clean up", async () => {
      const root = folder();
      // The shell itself takes its time: another program can need most of half a second to start on a busy machine.
      const tidy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
      const command = `trap '${tidy}; echo cleaned; exit 0' TERM; echo begun; ${pause(30)} & wait`;
      const { ending, output, time } = await run(make(root), root, command, { seconds: 0.5 });
      expect(ending).toEqual({ how: "timed-out" });
      expect(output).toBe("begun\ncleaned\n");
      expect(time).toBeLessThan(15_000);
    });

    test("ends what does not listen to SIGTERM", async () => {
      const root = folder();
      const { ending, time } = await run(make(root), root, stubborn, { seconds: 0.7 });
      expect(ending).toEqual({ how: "timed-out" });
      expect(time).toBeLessThan(15_000);
      await expectNoMoreBeats(root);
    });

    const noPipe = without("mkfifo");
    test.skipIf(noPipe)(`ends what waits for somebody else: a named pipe that nobody writes to${noPipe}`, async () => {
      const root = folder();
      const { ending, output, time } = await run(make(root), root, "mkfifo p; read line < p", { seconds: 0.5 });
      expect([ending, output]).toEqual([{ how: "timed-out" }, ""]);
      expect(time).toBeLessThan(15_000);
    });

    test("takes a limit longer than a timer can wait as one without an end", async () => {
      const root = folder();
      expect((await run(make(root), root, pause(0.1), { seconds: 1e12 })).ending).toEqual({ how: "exited", code: 0 });
    });
  });

  describe("an abort", () => {
    test("ends a whole tree of processes", async () => {
      const root = folder();
      const abort = new AbortController();
      writeFileSync(join(root, "inner.sh"), `${pause(300)} & ${stubborn}`);
      writeFileSync(join(root, "outer.sh"), "sh inner.sh & wait");
      const running = run(make(root), root, "sh outer.sh & wait", { signal: abort.signal });
      await untilBeating(root);
      const began = performance.now();
      abort.abort();
      expect((await running).ending).toEqual({ how: "aborted" });
      expect(performance.now() - began).toBeLessThan(15_000);
      await expectNoMoreBeats(root);
    });

    test("before the start ends it at once", async () => {
      const root = folder();
      const { ending, time } = await run(make(root), root, pause(30), { signal: AbortSignal.abort() });
      expect(ending).toEqual({ how: "aborted" });
      expect(time).toBeLessThan(15_000);
    });

    test("in the midst of the start leaves nothing: a sandbox that was still being made went on", async () => {
      const root = folder();
      for (let wait = 0; wait < 40; wait += 2) {
        const abort = new AbortController();
        const running = run(make(root), root, pause(86434), { signal: abort.signal });
        await sleep(wait);
        abort.abort();
        expect((await running).ending).toEqual({ how: "aborted" });
      }
      expect(commandLines().filter((line) => /\b86434/.test(line))).toEqual([]);
    });
  });

  describe("processes left in the background", () => {
    test("is not waited for, though it holds the output open, and is ended", async () => {
      const root = folder();
      const { ending, output, time } = await run(make(root), root, `${stubborn} & ${pause(0.3)}; echo hi`);
      expect(ending).toEqual({ how: "exited", code: 0 });
      expect(output).toBe("hi\n");
      expect(time).toBeLessThan(15_000);
      await expectNoMoreBeats(root);
    });

    test("is asked to end before it is forced", async () => {
      const root = folder();
      const program = `
        const { writeFileSync } = require("node:fs");
        const save = () => {
          writeFileSync("saved", "saved\\n");
          process.exit(0);
        };
        process.on("SIGTERM", () => setTimeout(save, 100));
        setInterval(String, 1000);
        writeFileSync("ready", "");`;
      writeFileSync(join(root, "server.cjs"), program);
      const { time } = await run(
        make(root),
        root,
        `node server.cjs & until [ -e ready ]; do ${pause(0.05)}; done; exit 5`,
      );
      expect(time).toBeLessThan(15_000);
      expect(readFileSync(join(root, "saved"), "utf8")).toBe("saved\n");
    });

    test("can be a server that is used and stopped", async () => {
      const root = folder();
      const serve = `require("http").createServer((q, a) => a.end("served")).listen(0, "127.0.0.1", function () { require("fs").writeFileSync("port", String(this.address().port)) })`;
      const ask = `fetch("http://127.0.0.1:" + require("fs").readFileSync("port")).then(async (a) => console.log(await a.text()))`;
      const node = `'${process.execPath}'`;
      const command = `${node} -e '${serve}' & id=$!; until test -s port; do ${pause(0.05)}; done; ${node} -e '${ask}'; kill $id; wait $id 2>/dev/null; echo stopped`;
      const { output } = await run(make(root), root, command);
      expect(output).toBe("served\nstopped\n");
    });

    test.skipIf(!has("sleep"))(`is gone also where it is a swarm${without("sleep")}`, async () => {
      const root = folder();
      const command = "i=0; while [ $i -lt 300 ]; do sleep 86431 & i=$((i+1)); done; echo started";
      const { output, time } = await run(make(root), root, command);
      expect(output).toBe("started\n");
      expect(time).toBeLessThan(30_000);
      await sleep(20);
      expect(commandLines().filter((line) => /\b86431/.test(line))).toEqual([]);
    });
  });
}

/** Declares the test of a shell that measures time. */
export function endsAtOnce(make: (root: string) => Shell): void {
  test("processes left in the background cost no half second if they end when they are asked to, reaped or not", async () => {
    const root = folder();
    const extra = async (): Promise<number> => {
      const { time } = await run(make(root), root, `${pause(30)} & ${pause(30)} & echo hi`);
      return time - (await run(make(root), root, "echo hi")).time;
    };
    // Other work on the machine costs some tries half a second, and the wait would cost each of them as much.
    let least = Infinity;
    for (let tries = 0; tries < 6 && least >= 450; tries += 1) least = Math.min(least, await extra());
    expect(least).toBeLessThan(450);
  });
}
