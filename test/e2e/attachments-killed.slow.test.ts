import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { built } from "../dist.js";

/** Runs with a picture on a server that never answers. */
const program = `
import { createAgent } from "${built()}";
import { fileStore, openSession } from "${built("memory")}";
import { openai } from "${built("model")}";
import { taskCompletion } from "${built("tools")}";
const [folder, baseURL, image] = process.argv.slice(1);
const session = openSession({ store: fileStore(folder), id: "s" });
const agent = createAgent({ model: openai({ baseURL, model: "m", apiKey: "k" }), tools: [taskCompletion()] });
await agent.run("What is this?", { session, attachments: [{ bytes: Buffer.from(image, "base64") }] });
`;

test("a picture of a process that was killed while the model looked at it is sent again by the next one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-killed-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const url = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/v1`;
  const image = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1").toString("base64");
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, url, image], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(silent, "request");
  child.kill("SIGKILL");
  await once(child, "exit");
  silent.closeAllConnections();
  await using provider = await scriptedProvider([[call("task_completion", { result: "a picture" })]]);
  const agent = createAgent({
    model: openai({ baseURL: provider.url, model: "m", apiKey: "k" }),
    tools: [taskCompletion()],
  });
  const outcome = await agent.resume(openSession({ store: fileStore(folder), id: "s" }));
  expect(outcome.status).toBe("completed");
  expect(provider.requests[0]!.body.messages[1]).toEqual({
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
    ],
  });
  expect(readdirSync(join(folder, "s/attachments"))).toHaveLength(1);
});
