// Questions at a terminal: a typed reply that does not fit is asked again, and a call may ask several things.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { inTerminal, noTerminal, temporary, type Started } from "../command.js";
import { built } from "../../dist.js";

const done = [call("task_completion", { result: "all done" })];

/** A tool that asks for a size with a schema, and then for words. */
const module = `
import { tool } from "${built()}";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default tool({
  name: "order",
  description: "Orders",
  input: { type: "object", properties: {}, additionalProperties: false },
  effect: "none",
  asks: any,
  async run(_input, { ask }) {
    const replySchema = { type: "object", properties: { size: { type: "integer", minimum: 1 } }, required: ["size"] };
    const { size } = await ask({ question: "Which size?" }, { replySchema });
    const colour = await ask({ question: "Which colour for " + size + "?" });
    const name = await ask({ question: "Whose name?" });
    return size + " " + colour + " " + name;
  },
});
`;

async function ordering(): Promise<Started & AsyncDisposable & { lastText(): string }> {
  const provider = await scriptedProvider([[call("order")], done]);
  const place = await temporary();
  const path = join(place.path, "order.mjs");
  await writeFile(path, module);
  const started = inTerminal(`"do it" --tools ${path} --no-sandbox --base-url ${provider.url} --model m`);
  return {
    ...started,
    lastText: () => JSON.stringify(provider.requests[1]?.body.messages.at(-1)?.content),
    async [Symbol.asyncDispose]() {
      started.child.kill("SIGKILL");
      await provider[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(noTerminal)(`a typed reply at a terminal${noTerminal}`, () => {
  test(
    "that does not fit is asked again with the reason, and nothing of it reaches the model",
    { timeout: 60_000 },
    async () => {
      await using on = await ordering();
      let prompts = 0;
      const answer = async (words: string, next: string): Promise<void> => {
        // Words that are typed before the prompt is there do not count.
        await on.seen("> ", (prompts += 1));
        on.child.stdin?.write(`${words}\r`);
        await on.seen(next);
      };
      await answer("large", "This does not fit: it is no JSON");
      await answer("[1]", "it is no JSON object");
      await answer('{"size": 0}', "This does not fit: size: ");
      // Three questions of one call, each answered once.
      await answer('{"size": 3}', "Which colour for 3?");
      await answer("red", "Whose name?");
      await answer("Ann", "all done");
      const { code, stdout } = await on.ended;
      expect(code).toBe(0);
      expect(stdout.split("Whose name?").length).toBeLessThanOrEqual(3);
      expect(on.lastText()).toContain("3 red Ann");
    },
  );

  test(
    "may be left out: an empty line leaves the question open, with the command that answers it",
    { timeout: 60_000 },
    async () => {
      await using on = await ordering();
      await on.seen("The answer is JSON:");
      await on.seen("> ");
      on.child.stdin?.write("large\r");
      await on.seen("> ", 2);
      on.child.stdin?.write("\r");
      const { code, stdout } = await on.ended;
      expect(code).toBe(3);
      expect(stdout).toMatch(/To answer: lastcall resume \S+/);
    },
  );
});
