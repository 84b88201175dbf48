// Sessions that earlier versions wrote: read whole, with the state and the prompts that followed from them then.

import { readdirSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replay, type JournalRecord, type Message } from "../../src/core/index.js";
import { createAgent } from "../../src/index.js";
import { fileStore, openSession, windowed } from "../../src/memory/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { drain } from "../core/drain.js";
import { recalling } from "./recalling.js";
import { temporaryFolder } from "./store-places.js";

const folder = join(import.meta.dirname, "golden");

/** A prompt as it was recalled before the reply with this number. */
interface Prompted {
  readonly reply: number;
  readonly messages: readonly Message[];
}

interface Golden {
  readonly state: Readonly<Record<string, unknown>>;
  readonly prompts: readonly Prompted[];
}

/** The prompts before all replies, as a memory recalls them that is opened there. */
async function promptsOf(records: readonly JournalRecord[]): Promise<readonly Prompted[]> {
  const prompts: Prompted[] = [];
  for (const { seq, type } of records) {
    if (type !== "reply") continue;
    const memory = windowed({ window: 1_000_000 })({ version: 1, id: "s", records: records.slice(0, seq) });
    prompts.push({ reply: seq, messages: [...(await drain(memory.recall(recalling(memory)))).value] });
  }
  return prompts;
}

/** The prompt without the flag on results, which the versions that wrote these sessions did not have. */
function withoutFlags({ reply, messages }: Prompted): Prompted {
  return {
    reply,
    messages: messages.map((message) => {
      if (message.role !== "tool") return message;
      const { ok: _ok, ...rest } = message;
      return rest;
    }),
  };
}

test.each(readdirSync(folder))("a session of version %s is read, and means what it meant", async (version) => {
  await using copy = await temporaryFolder();
  const name = "s";
  await cp(join(folder, version), join(copy.path, name), { recursive: true });
  const golden = JSON.parse(await readFile(join(folder, version, "expected.json"), "utf8")) as Golden;
  const session = openSession({ store: fileStore(copy.path), id: name });
  const { records } = await session.toJSON();
  assertWellFormed(records);
  expect(JSON.parse(JSON.stringify(replay(records)))).toMatchObject(golden.state);
  const prompts = JSON.parse(JSON.stringify(await promptsOf(records))) as readonly Prompted[];
  expect(prompts.map(withoutFlags)).toEqual(golden.prompts);
  const model = scriptedModel([[call("task_completion", { result: "Still here." })]]);
  const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Are you there?", { session });
  expect(outcome).toMatchObject({ status: "completed", value: { result: "Still here." } });
});
