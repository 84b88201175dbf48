// Attack scenarios, secrets: keys never appear in a journal, an event or an error.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type Event, type Outcome } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, scriptedProvider, virtualClock } from "../../src/testing/index.js";
import { runCommand, taskCompletion } from "../../src/tools/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { pause } from "../programs.js";

const aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const key = `sk-proj-${"A".repeat(24)}`;
const env = `AWS_SECRET_ACCESS_KEY=${aws}\nOPENAI_API_KEY=${key}\nPORT=8080\n`;
const done = call("task_completion", { result: "done" });

interface Told {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  /** All text that the run left: the session's files, the events, and the prompts. */
  readonly everywhere: string;
}

/** Runs a command in the folder of the `.env`, in a session stored in files. */
async function commanded(command: string): Promise<Told> {
  await using folder = await temporaryFolder();
  await using kept = await temporaryFolder();
  await writeFile(join(folder.path, ".env"), env);
  const model = scriptedModel([[call("run_command", { command })], [done]]);
  const tools = [runCommand({ root: folder.path }), taskCompletion()];
  const agent = createAgent({ model, tools, permission: allowAll() });
  const events: Event[] = [];
  const session = openSession({ store: fileStore(kept.path), id: "s" });
  const outcome = await agent.run("Look", { session, onEvent: (event) => void events.push(event) });
  const files = await readdir(kept.path, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), "utf8")),
  );
  expect(texts.join("")).toContain("task_completion");
  assertWellFormed(outcome.session.records);
  return { outcome, events, everywhere: JSON.stringify([texts, events, outcome, model.requests]) };
}

function progressIn(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === "call-progress" ? [String(event.progress)] : [])).join("");
}

describe("output", () => {
  test("sec-001 a secret in output is in no session file, event or prompt; its name is", async () => {
    const { outcome, events, everywhere } = await commanded(`node -e 'process.stdout.write(fs.readFileSync(".env"))'`);
    expect(outcome.status).toBe("completed");
    expect(everywhere).not.toContain(aws);
    expect(everywhere).not.toContain(key);
    const left = "AWS_SECRET_ACCESS_KEY=[redacted: secret]\nOPENAI_API_KEY=[redacted: secret]\nPORT=8080\n";
    expect(progressIn(events)).toBe(left);
    const [result] = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(result?.text).toContain(left);
  });

  test("sec-002 a secret that is split over chunks is masked in streamed events too", async () => {
    const { events, everywhere } = await commanded(
      `echo begun; ${pause(0.3)}; printf 'key sk-pr'; ${pause(0.3)}; printf 'oj-AAAA'; ${pause(0.3)}; printf ${"A".repeat(20)}`,
    );
    expect(everywhere).not.toMatch(/oj-AAAA\w/);
    expect(progressIn(events)).toBe("begun\nkey [redacted: key]");
    expect(events.filter(({ type }) => type === "call-progress").length).toBeGreaterThan(1);
  });

  test("sec-003 an encoded secret is not found, and the docs say so", async () => {
    const { everywhere } = await commanded(`node -p 'fs.readFileSync(".env").toString("base64")'`);
    expect(everywhere).toContain(Buffer.from(env).toString("base64"));
    expect(await readFile(join(import.meta.dirname, "../../docs/secrets.md"), "utf8")).toMatch(/base64/);
  });
});

const echo = "Incorrect API key provided: sk-proj-AAAAAAAA***. You can find your API key at https://x.example.";

/** A run that fails at the provider. */
async function failing(status: number, message: string): Promise<Told> {
  await using provider = await scriptedProvider(Array.from({ length: 6 }, () => ({ status, message })));
  const model = openai({ baseURL: provider.url, model: "scripted", steady: { firstDelay: 1 } });
  const events: Event[] = [];
  const agent = createAgent({ model, tools: [taskCompletion()] });
  const outcome = await agent.run("Go", { onEvent: (event) => void events.push(event) });
  const fault = outcome.status === "failed" ? outcome.fault : undefined;
  const causes = [fault, fault?.cause].map((one) =>
    one instanceof Error ? `${one.message} ${String(one.stack)}` : "",
  );
  return {
    outcome,
    events,
    everywhere: JSON.stringify([events, outcome, causes, String(fault), fault?.cause]),
  };
}

describe("errors", () => {
  test("sec-004 a key that a provider's error echoes is masked in events, session and fault", async () => {
    for (const status of [401, 400, 503]) {
      const { outcome, everywhere } = await failing(status, echo);
      expect(outcome).toMatchObject({ status: "failed" });
      expect(everywhere).not.toContain("sk-proj-AAAA");
      expect(everywhere).toContain("[redacted: key]");
      expect(outcome.session.records.at(-1)).toMatchObject({ type: "outcome", status: "failed" });
    }
  });

  test("sec-005 a key in an address is masked", async () => {
    const { everywhere } = await failing(
      503,
      "GET https://x.example/v1?key=SECRET failed, as did https://me:hunter2@x.example",
    );
    expect(everywhere).not.toMatch(/SECRET|hunter2/);
    expect(everywhere).toContain(
      "https://x.example/v1?key=[redacted: key] failed, as did https://me:[redacted: password]@x",
    );
    expect(() => openai({ baseURL: "x.example/v1?key=SECRET", model: "m" })).toThrow(/\?key=\[redacted: key\]/);
  });
});

describe("everything else that is kept or shown", () => {
  const fail = tool({
    name: "fail",
    description: "Fails",
    input: z.object({}),
    run: () => {
      throw new Error(`no access with ${key}`);
    },
  });
  const show = tool({
    name: "show",
    description: "Shows",
    input: z.object({}),
    async *run() {
      yield { line: key, deep: [{ token: "abc12345xyz" }] };
      yield "the open ";
      yield "sesame";
      return { key };
    },
  });

  test("failures with their signatures, permission's reasons, vetoes, checks, warnings and progress", async () => {
    const clock = virtualClock();
    const events: Event[] = [];
    const model = scriptedModel([[call("fail"), call("show")], [call("fail")], [done], [done]]);
    const agent = createAgent({
      model,
      tools: [fail, show, taskCompletion()],
      runtime: clock,
      secrets: { values: ["open sesame"] },
      permission: { decide: () => ({ allowed: true, reason: `somebody said ${key}` }) },
      checks: [{ name: "c", verify: ({ when }) => ({ passed: when === "baseline", output: `got ${key}` }) }],
      hooks: [{ veto: ({ iteration }) => (iteration === 3 ? `enough of ${key}` : undefined) }],
    });
    const outcome = await agent.run("Go", {
      onEvent: (event) => {
        events.push(event);
        throw new Error(`a log with ${key}`);
      },
    });
    const everywhere = JSON.stringify([outcome, events, model.requests, clock.warnings, clock.warnings[0]?.stack]);
    expect(everywhere).not.toMatch(/sk-proj|open sesame|abc12345xyz/);
    expect(outcome).toMatchObject({ status: "stopped", reason: "veto", message: "enough of [redacted: key]" });
    assertWellFormed(outcome.session.records);
    const progress = events.flatMap((event) => (event.type === "call-progress" ? [event.progress] : []));
    expect(progress).toEqual([
      { line: "[redacted: key]", deep: [{ token: "[redacted: secret]" }] },
      "the ",
      "[redacted: value]",
    ]);
    expect(JSON.stringify(model.requests[2]!.messages)).toContain("This is the second time in a row");
  });

  test("a fault keeps its cause where nothing in it is a secret, and a copy of it where something is", async () => {
    const run = async (cause: Error): Promise<unknown> => {
      const model = scriptedModel([]);
      const hook = {
        async *request(): AsyncGenerator<never, never, void> {
          await Promise.resolve();
          throw new LastcallError("provider_rejected", "no", { cause });
        },
      };
      const outcome = await createAgent({ model, tools: [taskCompletion()], hooks: [hook] }).run("Go");
      return outcome.status === "failed" ? outcome.fault.cause : undefined;
    };
    const clean = new Error("clean");
    expect(await run(clean)).toBe(clean);
    const telling = Object.assign(new Error("told"), { headers: { authorization: `Bearer ${key}` } });
    const copy = await run(telling);
    expect(copy).toMatchObject({ message: "told" });
    expect(copy).not.toHaveProperty("headers");
  });

  test("the user's words, the model's and what it calls stay as they are", async () => {
    const ran: unknown[] = [];
    const use = tool({
      name: "use",
      description: "Uses",
      input: z.object({ key: z.string() }),
      run: (input) => void ran.push(input),
    });
    const model = scriptedModel([{ text: `I use ${key}`, calls: [call("use", { key })] }, [done]]);
    const outcome = await createAgent({ model, tools: [use, taskCompletion()] }).run(`Use ${key}`);
    expect(ran).toEqual([{ key }]);
    expect(
      outcome.session.records.flatMap((record) => (JSON.stringify(record).includes(key) ? [record.type] : [])),
    ).toEqual(["input", "reply"]);
  });

  test("nothing is redacted where secrets is false, and a short value is a mistake of configuration", async () => {
    const model = scriptedModel([[call("show")], [done]]);
    const outcome = await createAgent({ model, tools: [show, taskCompletion()], secrets: false }).run("Go");
    expect(JSON.stringify(outcome)).toContain(key);
    expect(() => createAgent({ model, tools: [taskCompletion()], secrets: { values: ["short"] } })).toThrow(
      /less than 8 characters/,
    );
  });
});
