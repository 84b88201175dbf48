// Standard input of a process as the task, or as material for it: pipes, files, sockets and devices.

import { spawn } from "node:child_process";
import { openSync, closeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { start, temporary, type Ended } from "../command.js";
import { bin } from "../../dist.js";
import { userWords } from "./user-words.js";

const done = [call("task_completion", { result: "all done" })];

interface Asked extends Ended {
  /** The user's words of the first request; undefined if there was none. */
  readonly asked: string | undefined;
}

describe("a process", () => {
  /** Runs the built command on a provider, started by a shell or with this standard input. */
  async function started(
    begin: (words: readonly string[], folder: string) => Promise<Ended>,
    script: Script = [done],
  ): Promise<Asked> {
    await using provider = await scriptedProvider(script);
    await using folder = await temporary();
    const place = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--no-save"];
    const ended = await begin(place, folder.path);
    return { ...ended, asked: userWords(provider.requests[0]?.body.messages) };
  }

  const shell = (before: string, words: readonly string[], after = ""): Promise<Ended> => {
    const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" ");
    return start(["-c", `${before}${line}${after}`], {}, "sh").ended;
  };

  test("reads a pipe to its end, even if the writer is slow", async () => {
    const slow = "(printf one; sleep 0.3; echo ' two') | ";
    const { code, asked } = await started((place) => shell(slow, ["review this", ...place]));
    expect(code).toBe(0);
    expect(asked).toContain("]\none two\n[end");
  });

  test("reads a file that is its standard input", async () => {
    const { asked } = await started(async (place, folder) => {
      await writeFile(join(folder, "diff"), "the diff\n");
      return shell("", ["review this", ...place], ` < ${join(folder, "diff")}`);
    });
    expect(asked).toContain("the diff");
  });

  test("does not wait for a socket or a device that is open and silent, as a program or a service may give it", async () => {
    // Node gives its children a socket.
    const open = await started((place) => start(["do it", ...place]).ended);
    expect(open).toMatchObject({ code: 0, asked: "do it" });
    const devices = ["/dev/null", "/dev/zero"].map((device) =>
      started(async (place) => {
        const descriptor = openSync(device, "r");
        const stdio = [descriptor, "ignore", "ignore"] as const;
        const child = spawn(process.execPath, [bin, "do it", ...place], { stdio: [...stdio] });
        closeSync(descriptor);
        return { code: await new Promise<number | null>((end) => child.on("close", end)), stdout: "", stderr: "" };
      }),
    );
    for (const ended of await Promise.all(devices)) expect(ended).toMatchObject({ code: 0, asked: "do it" });
  });

  test("reads a socket that it is told to read", async () => {
    const { code, asked } = await started((place) => {
      const { child, ended } = start(["review this", "-", ...place]);
      child.stdin?.end("the diff\n");
      return ended;
    });
    expect({ code, asked }).toMatchObject({ code: 0, asked: expect.stringContaining("the diff") });
  });

  test("reads no more than it may of input that never ends", async () => {
    const { code, stderr } = await started((place) => shell("while echo y; do :; done | ", ["review this", ...place]));
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("more than 262,144 bytes") });
  });

  test("that waits for standard input ends at once when it is interrupted", async () => {
    await using provider = await scriptedProvider([done]);
    const { child, ended } = start(["-", "--base-url", provider.url, "--model", "m", "--no-save", "--no-agents-md"]);
    await new Promise((settle) => setTimeout(settle, 1000));
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 130, stdout: "" });
    expect(provider.requests).toEqual([]);
  });
});
