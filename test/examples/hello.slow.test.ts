// Hello: a look, and an ending.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

test("it looks at the weather, ends, and prints what the page says", async () => {
  await using project = await projectWith("hello");
  await using provider = await scriptedProvider([
    [call("weather", { city: "Oslo" })],
    [call("task_completion", { result: "Yes: it rains in Oslo." })],
  ]);
  expect(await project.run([], provider)).toMatchObject({ code: 0, stderr: "", stdout: printed("hello")[0] });
  expect(provider.requests[0]?.body.messages.at(-1)?.["content"]).toBe("Do I need an umbrella in Oslo?");
  expect(provider.requests[1]?.body.messages.at(-1)?.["content"]).toContain('"sky":"rain"');
});
