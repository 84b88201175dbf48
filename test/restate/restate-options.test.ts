// Wrong options of a host on Restate are refused before anything listens.

import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { fileStore, memoryStore } from "../../src/memory/index.js";
import { hostOnRestate, type RestateHostOptions } from "../../src/restate/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const worker = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
const place: RestateHostOptions = {
  agents: { worker },
  store: fileStore("never-written"),
  ingress: "http://127.0.0.1:1",
  admin: "http://127.0.0.1:1",
  listen: { port: 0 },
};

describe("a host on Restate", () => {
  test.each<readonly [Partial<RestateHostOptions>, string]>([
    [{ agents: {} }, "needs an agent"],
    [{ agents: { "a b": worker } }, 'The agent "a b"'],
    [{ store: memoryStore() }, "ends with this process, and the inputs do not"],
    [{ queue: "a b" }, "queue is"],
    [{ queue: "restate" }, "queue is"],
    [{ attempts: 0 }, "attempts is 0"],
    [{ ingress: "127.0.0.1:1" }, "ingress is"],
    [{ admin: "ftp://a" }, "admin is"],
    [{ address: "a" }, "address is"],
    [{ headers: { "a b": "c" } }, "headers can't be"],
    [{ listen: undefined }, "needs listen"],
    [{ listen: { port: 70_000 } }, "listen.port is 70000"],
    [{ listen: { port: 0, host: "0.0.0.0" } }, "give address"],
    [{ identityKeys: ["secret"] }, "begins with publickeyv1_"],
    [{ work: false }, "listens nowhere"],
  ])("refuses %j", async (options, message) => {
    await expect(hostOnRestate({ ...place, ...options })).rejects.toThrow(message);
  });
});
