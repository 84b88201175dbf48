// Wild model outputs, replayed through the whole library: the shared corpus where it is there, and our own.

import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createOpenAICompatible7 } from "ai-sdk-7-openai-compatible";
import { countsOf, lineOf, notCarried, readCases, replayAll, tableOf, type Library } from "../scripts/cases/index.mjs";
import { fromAiSdk, type AiSdkOptions } from "../src/ai-sdk/index.js";
import { preview } from "../src/cli/person/approver.js";
import { withoutThinking } from "../src/cli/display/visible.js";
import { createAgent, tool } from "../src/index.js";
import { openai } from "../src/model/index.js";
import { share } from "./turn.js";

const root = resolve(import.meta.dirname, "..");
const ours = join(root, "test/cases");
const files = [
  resolve(root, "../shared/cases/model-outputs.jsonl"),
  ...(existsSync(ours) ? readdirSync(ours) : [])
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(ours, name)),
];

const library: Library = { createAgent, tool, openai, preview, withoutThinking };

interface Server extends AiSdkOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
}

/** The library with models over a package of the AI SDK. */
function over(create: typeof createOpenAICompatible | typeof createOpenAICompatible7): Library {
  const model = ({ baseURL, apiKey, model: name, ...settings }: Server): unknown =>
    fromAiSdk(create({ name: "wild", baseURL, apiKey, includeUsage: true })(name), settings);
  return { ...library, streamsOnly: true, openai: model };
}

const carriers: readonly (readonly [string, Parameters<typeof replayAll>[1]])[] = [
  ["", { library }],
  [" over AI SDK 6", { library: over(createOpenAICompatible), notCarried }],
  [" over AI SDK 7", { library: over(createOpenAICompatible7), notCarried }],
];

for (const file of files) {
  const isHere = existsSync(file);
  const why = isHere ? "" : " (left out: it is not beside the repository)";
  for (const [carrier, options] of carriers) {
    const name = `every case of ${basename(file)} ends as it should${carrier}${why}`;
    test.skipIf(!isHere)(name, { timeout: 600_000 }, async () => {
      // Over a package of the AI SDK only the way to the model is another.
      const cases = carrier === "" ? readCases([file]) : share(readCases([file]), 3);
      expect(cases.length).toBeGreaterThan(0);
      const results = await replayAll(cases, options);
      console.log(`${basename(file)}${carrier}\n${tableOf(results)}\n\n${countsOf(results)}`);
      expect(results.filter(({ verdict }) => verdict === "FAIL").map((result) => lineOf(result))).toEqual([]);
    });
  }
}
