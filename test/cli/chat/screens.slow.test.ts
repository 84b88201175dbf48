// The screens in the docs, compared with those of a real conversation. UPDATE_SCREENS=1 writes them to the docs.

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { temporary } from "../command.js";
import { atTerminal, keys, ready } from "./terminal-screen.js";

const root = resolve(import.meta.dirname, "../../..");

const cart = `export function total(prices, discount) {
  const sum = prices.reduce((all, price) => all + price, 0);
  return sum;
}
`;
const cartTest = `import assert from "node:assert";
import test from "node:test";
import { total } from "./cart.js";

test("a discount is taken off", () => {
  assert.equal(total([10, 20, 30], 0.1), 54);
});
`;

const script: Script = [
  { calls: [call("read_file", { path: "cart.js" })], usage: { inputTokens: 2140, outputTokens: 22 } },
  {
    calls: [
      call("edit_file", {
        path: "cart.js",
        edits: [{ search: "return sum;", replace: "return sum * (1 - discount);" }],
      }),
    ],
    usage: { inputTokens: 2310, cachedInputTokens: 2140, outputTokens: 61 },
  },
  {
    calls: [
      call("task_completion", {
        result:
          "The discount was never applied. `total` now returns **sum × (1 − discount)**:\n\n- `cart.js` has one line less wrong\n- its test passes",
      }),
    ],
    usage: { inputTokens: 2450, cachedInputTokens: 2310, outputTokens: 48 },
    pause: 40,
    piece: 6,
  },
  {
    calls: [
      call("ask_question", {
        question: "Prices are numbers with binary fractions. How shall I **round**?",
        suggestions: ["to cents, half up", "to cents, half to even", "not at all"],
      }),
    ],
    usage: { inputTokens: 2580, cachedInputTokens: 2450, outputTokens: 40 },
  },
];

test("the screens in the docs are those of the terminal", async () => {
  await using folder = await temporary();
  await using state = await temporary();
  await using provider = await scriptedProvider(script);
  await writeFile(join(folder.path, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder.path, "cart.js"), cart);
  await writeFile(join(folder.path, "cart.test.js"), cartTest);
  const options = `--base-url ${provider.url} --model qwen3-coder --window 128000 --no-sandbox --allow 'write(docs/**)'`;
  await using screen = atTerminal(`chat --workdir ${folder.path} ${options} --until 'node --test'`, {
    rows: 40,
    env: { XDG_STATE_HOME: state.path },
  });
  /** The screen from these words on. Parts that differ from run to run are normalized. */
  const shown = (from: string): string =>
    screen
      .visible()
      .slice(screen.visible().lastIndexOf(from))
      .replace(/\((?:\d+ ms|\d+\.\d s)\)/g, "(8 ms)")
      .replace(/ · \d+ s$/m, " · 3 s")
      .replace(/ +$/gm, "")
      .trimEnd();
  await screen.see(ready);
  await screen.type("the discount does nothing. mend it", keys.enter);
  await screen.see(/Allow it\?[^\n]*\n>/);
  const approval = shown("> the discount");
  await screen.type("y", keys.enter);
  await screen.see(/its test passes\n\n[^\n]* out\n>$/);
  const answer = shown("[2]");
  await screen.type("round the result as well", keys.enter);
  await screen.see("3. not at all");
  await screen.type(keys.down, keys.down);
  await screen.see(/❯ 2\.[^]* out\n>$/);
  const question = shown("> round");
  await expectShown({ approval, answer, question });
});

/** The blocks of a page that show a screen. */
async function expectShown(screens: Readonly<Record<string, string>>): Promise<void> {
  const found = new Set<string>();
  for (const page of ["docs/the-command.md", "docs/chat.md"]) {
    const text = await readFile(join(root, page), "utf8");
    const fresh = text.replace(/<!-- screen: (\w+) -->\n\n```\n[^]*?\n```/g, (block, name: string) => {
      found.add(name);
      const screen = screens[name];
      return screen === undefined ? block : `<!-- screen: ${name} -->\n\n\`\`\`\n${screen}\n\`\`\``;
    });
    if (process.env["UPDATE_SCREENS"] === "1") await writeFile(join(root, page), fresh);
    else expect(text).toBe(fresh);
  }
  expect([...found].sort()).toEqual(Object.keys(screens).sort());
}
