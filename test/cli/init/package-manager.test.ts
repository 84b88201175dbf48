import { expect, test } from "vitest";
import { packageManager } from "../../../src/cli/init/package-manager.js";

const linesFor = (agent?: string): readonly string[] => {
  const { install, run } = packageManager({ npm_config_user_agent: agent });
  return [install, run("test"), run("types")];
};

test.each([
  ["npm/11.19.1 node/v20.20.2 linux x64 workspaces/false", ["npm install", "npm test", "npm run types"]],
  ["pnpm/10.2.0 npm/? node/v22.18.0 linux x64", ["pnpm install", "pnpm test", "pnpm types"]],
  ["yarn/4.5.0 npm/? node/v22.18.0 linux x64", ["yarn install", "yarn test", "yarn types"]],
  ["bun/1.2.0 npm/? node/v22.6.0 linux x64", ["bun install", "bun run test", "bun run types"]],
  ["other/1.0.0", ["npm install", "npm test", "npm run types"]],
])("the lines for %s", (agent, lines) => {
  expect(linesFor(agent)).toEqual(lines);
});

test("without a package manager the lines are npm's", () => {
  expect(linesFor()).toEqual(["npm install", "npm test", "npm run types"]);
});
