// Settings that anybody may have written: no text of them ends the process, or holds it up.

import { describe, expect, test } from "vitest";
import { parseSettings } from "../../../src/cli/display/settings-text.js";
import { processorTime } from "../../processor-time.js";

const size = 64 * 1024;
const fill = (piece: string, length = size): string => piece.repeat(Math.floor(length / piece.length));
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** Files of YAML that killed the process, or took seconds or minutes. */
const hostile: Readonly<Record<string, string>> = {
  "2,000 opening brackets": "[".repeat(2000),
  "brackets that close in comments": fill("[ #]\n"),
  "brackets that close": `${"[".repeat(3000)}${"]".repeat(3000)}`,
  "maps in maps": fill("{a: ", 8000),
  "a deeper line each": lines(1500, (index) => `${" ".repeat(index)}a:`),
  "lists in lists in one line": fill("- ", 6000),
  "lists in lists, with tabs": fill("-\t", 6000),
  "keys in keys in one line": fill("? ", 6000),
  "60,000 names": lines(60_000, (index) => `k${String(index)}: 1`),
  "names in one map": `{${Array.from({ length: 20_000 }, (_, index) => `k${String(index)}`).join(",")}}`,
  quotes: fill('"'),
  anchors: fill("&a "),
  tags: fill("!a "),
  "aliases of aliases": lines(9, (index) =>
    index === 0
      ? "a0: &a0 [x,x,x,x,x,x,x,x,x]"
      : `a${String(index)}: &a${String(index)} [${fill(`*a${String(index - 1)},`, 36)}]`,
  ),
  "a megabyte of nothing": `${" ".repeat(1024 * 1024)}a`,
};

describe("settings in YAML", () => {
  test.each(Object.entries(hostile))("are refused in words if they could take long: %s", (_name, text) => {
    const spent = processorTime();
    expect(() => parseSettings({ path: "/w/lastcall.config.yaml", text })).toThrow(
      /^\/w\/lastcall\.config\.yaml can't be read: /,
    );
    expect(spent()).toBeLessThan(1000);
  });

  test("are read within the bounds, however they are written", () => {
    const servers = lines(60, (index) => `    s${String(index)}: { command: node, args: ["a b", -x, "{y}"] }`);
    const text = `# [[[\ntier: read-only\nallow:\n  - "run_command(npm test)"\n  -\twrite(src/**)\nmcp:\n  mcpServers:\n${servers}\n`;
    const read = parseSettings({ path: "x.yaml", text });
    expect(read).toMatchObject({ tier: "read-only", allow: ["run_command(npm test)", "write(src/**)"] });
    expect(Object.keys((read["mcp"] as { mcpServers: object }).mcpServers)).toHaveLength(60);
  });
});

describe("settings in JSON", () => {
  test.each([
    ["lists", fill("[")],
    ["lists that end", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["objects", fill('{"a":')],
  ])("are refused if they are nested deeply: %s", (_name, text) => {
    expect(() => parseSettings({ path: "x.json", text: `{"a":${text}}` })).toThrow(/nested more than 100 deep/);
  });

  test("are read with brackets in their texts", () => {
    const text = JSON.stringify({ allow: ["[".repeat(500), '"[{\\'] });
    expect(parseSettings({ path: "x.json", text })).toEqual(JSON.parse(text));
  });
});
