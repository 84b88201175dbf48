// Files that the person attaches: `--attach` reads them from anywhere, says what is wrong with one, and the model gets their bytes.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attachFile } from "../../../src/cli/person/attach-file.js";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { without } from "../../programs.js";
import { runHere, temporary, type Ended } from "../command.js";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n");
const done = [call("task_completion", { result: "seen" })];

/** A folder with the files, and a way to run the command in a workspace beside it. */
async function stage(script: Script) {
  const provider = await scriptedProvider(script);
  const files = await temporary();
  const workspace = await temporary();
  const [image, paper] = [join(files.path, "dot.png"), join(files.path, "paper.pdf")];
  await writeFile(image, png);
  await writeFile(paper, pdf);
  const options = ["--base-url", provider.url, "--model", "m", "--sessions", join(files.path, "sessions")];
  return {
    image,
    paper,
    provider,
    sessions: join(files.path, "sessions"),
    run: (...args: readonly string[]): Promise<Ended> => runHere([...args, ...options, "--workdir", workspace.path]),
    /** The contents of the user's messages in a request. */
    contents: (request: number): readonly unknown[] =>
      (provider.requests[request]?.body.messages ?? []).flatMap(({ role, content }) =>
        role === "user" ? [content] : [],
      ),
    async [Symbol.asyncDispose]() {
      for (const used of [provider, files, workspace]) await used[Symbol.asyncDispose]();
    },
  };
}

const shown = (bytes: Buffer, mediaType: string): string => `data:${mediaType};base64,${bytes.toString("base64")}`;

describe("--attach", () => {
  test("sends the bytes of each file with the task, from outside of the workspace, and says so in the log", async () => {
    await using on = await stage([done]);
    const { code, stderr } = await on.run("What is this?", "--attach", on.image, "--attach", on.paper);
    expect(code).toBe(0);
    expect(on.contents(0)[0]).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: shown(png, "image/png") } },
      { type: "file", file: { filename: "paper.pdf", file_data: shown(pdf, "application/pdf") } },
    ]);
    expect(stderr).toContain(`attached dot.png: image/png, ${String(png.length)} bytes\n`);
    expect(stderr).toContain(`attached paper.pdf: application/pdf, ${String(pdf.length)} bytes\n`);
  });

  test("goes with the first input alone, stands once in the session, and is there after a resume", async () => {
    await using on = await stage([[call("ask_question", { question: "Which?" })], done]);
    const first = await on.run("Look.", "--attach", on.image, "--quiet");
    expect(first.code).toBe(3);
    expect(first.stderr).not.toContain("attached");
    const [id = ""] = (await readdir(on.sessions)).filter((name) => !name.includes("."));
    const answered = await on.run("resume", id, "that one");
    expect(answered.code).toBe(0);
    expect(JSON.stringify(on.provider.requests[1]?.body).split(png.toString("base64"))).toHaveLength(2);
    const digest = createHash("sha256").update(png).digest("hex");
    const kept = await readdir(join(on.sessions, id, "attachments"));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toContain(digest);
    expect(await readFile(join(on.sessions, id, "attachments", kept[0]!))).toEqual(png);
    expect((await runHere(["show", id, "--sessions", on.sessions])).stdout).toContain(
      `[dot.png: image/png, ${String(png.length)} bytes]`,
    );
  });

  test("goes with an answer as well", async () => {
    await using on = await stage([[call("ask_question", { question: "Which?" })], done]);
    expect((await on.run("Look.")).code).toBe(3);
    const [id = ""] = (await readdir(on.sessions)).filter((name) => !name.includes("."));
    expect((await on.run("resume", id, "this", "--attach", on.image)).code).toBe(0);
    expect(JSON.stringify(on.provider.requests[1]?.body)).toContain(png.toString("base64"));
  });

  test("goes with a task from standard input", async () => {
    await using on = await stage([done]);
    const args = ["-", "--attach", on.image, "--base-url", on.provider.url, "--model", "m", "--no-save"];
    expect((await runHere(args, {}, "What is this?")).code).toBe(0);
    expect(JSON.stringify(on.contents(0))).toContain(png.toString("base64"));
  });

  test.each([
    [["--attach", "x.png"], /shows files together with a task/],
    [["chat", "--attach", "x.png"], /\/attach FILE/],
    [["sessions", "--attach", "x.png"], /together with a task/],
    [["resume", "s", "--attach", "x.png"], /together with an answer/],
    [["resume", "s", "--approve", "--attach", "x.png"], /an approval takes none/],
  ])("needs words that it goes with: %j", async (args, refusal) => {
    const { code, stderr } = await runHere(args);
    expect(code).toBe(4);
    expect(stderr).toMatch(refusal);
  });

  test("a file that can't be used ends the command with exit code 4 before anything is asked or kept", async () => {
    await using on = await stage([done]);
    const { code, stderr } = await on.run("What is this?", "--attach", on.image, "--attach", `${on.image}.gone`);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^lastcall: --attach \S+dot\.png\.gone: there is no such file\./m);
    expect(on.provider.requests).toEqual([]);
    await expect(readdir(on.sessions)).rejects.toThrow("ENOENT");
  });

  test("no config file can set it: it would send files to a server that nobody named", async () => {
    await using on = await stage([done]);
    await using place = await temporary();
    const config = join(place.path, "c.json");
    await writeFile(config, JSON.stringify({ attach: [on.image] }));
    const { code, stderr } = await on.run("What is this?", "--config", config);
    expect(code).toBe(4);
    expect(stderr).toContain("attach");
    expect(on.provider.requests).toEqual([]);
  });
});

describe("a file is refused with what to do", () => {
  async function refusal(path: string): Promise<string> {
    try {
      await attachFile(path, "--attach");
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "configuration" });
      return (thrown as Error).message;
    }
    return "";
  }

  test("if it is missing, a folder, empty, no image or PDF, or has no name", async () => {
    await using place = await temporary();
    const at = (name: string): string => join(place.path, name);
    await mkdir(at("folder"));
    await writeFile(at("empty.png"), "");
    await writeFile(at("notes.md"), "# Notes");
    await writeFile(at("drawing.svg"), "<svg/>");
    expect(await refusal(at("gone.png"))).toContain("there is no such file. A relative path starts at the folder");
    expect(await refusal(at("notes.md/x.png"))).toContain("there is no such file");
    expect(await refusal(at("folder"))).toContain("it is a folder. Attach the files in it one by one");
    expect(await refusal(at("empty.png"))).toContain("it is empty");
    for (const name of ["notes.md", "drawing.svg"])
      expect(await refusal(at(name))).toMatch(
        /no PNG, JPEG, GIF, WebP or PDF.*Convert it; or, if it is a text, name it/,
      );
    expect(await refusal(" ")).toContain("Name an image or a PDF");
  });

  test("if it is a device, and the command does not read it", async () => {
    for (const device of ["/dev/zero", "/dev/null"])
      expect(await refusal(device)).toContain("a device, a named pipe or a socket. Save what it gives as a file");
  });

  const noPipe = without("mkfifo");
  test.skipIf(noPipe)(`if it is a named pipe, which is not waited for${noPipe}`, async () => {
    await using place = await temporary();
    const path = join(place.path, "pipe");
    execFileSync("mkfifo", [path]);
    expect(await refusal(path)).toContain("a named pipe");
  });

  test("if it is larger than a model takes; it is not read then", async () => {
    await using place = await temporary();
    const path = join(place.path, "huge.png");
    const file = await open(path, "w");
    await file.write(png);
    await file.truncate(32 * 1024 * 1024 + 1);
    await file.close();
    expect(await refusal(path)).toContain("more than 32 MiB, and models take no such files. Make it smaller");
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(isRoot)(`if it may not be read${isRoot ? " (left out: root may read everything)" : ""}`, async () => {
    await using place = await temporary();
    const path = join(place.path, "secret.png");
    await writeFile(path, png);
    await chmod(path, 0);
    expect(await refusal(path)).toMatch(/it can't be read: .*EACCES/);
  });

  test("in words that can't move the cursor", async () => {
    expect(await refusal("a\u001b[2J.png")).not.toContain("\u001b");
  });
});

test("a type that the model of an agent does not take is refused before anything is sent", async () => {
  await using on = await stage([done]);
  await using place = await temporary();
  const module = join(place.path, "agent.mjs");
  const model = `{ name: "blind", provider: "test", attachments: [], async *respond() { throw new Error("asked"); } }`;
  await writeFile(module, `export default { model: ${model} };`);
  const { code, stderr } = await runHere(["What is this?", "--agent", module, "--attach", on.image, "--no-save"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("blind takes no attachments, and dot.png is image/png");
});
