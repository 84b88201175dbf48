import { describe, expect, it, test } from "vitest";
import { agentIn, onlyReads } from "../../../src/cli/agent-files/stated-agent.js";

const path = "/a/reviewer.md";
const read = (text: string): ReturnType<typeof agentIn> => agentIn({ path, text });

test("an agent has the name of its file and the tools that read, unless it says otherwise", () => {
  const agent = read("---\ndescription: Reviews.\n---\n\nYou review.\n\n---\nWith care.\n");
  expect(agent).toEqual({
    name: "reviewer",
    description: "Reviews.",
    tools: ["read_file", "list_files", "search_files"],
    model: undefined,
    instructions: "You review.\n\n---\nWith care.",
    source: path,
  });
  expect(onlyReads(agent)).toBe(true);
  const other = read(
    "\uFEFF---\r\nname: judge\r\ndescription: x\r\nmodel: m\r\ntools: [run_command]\r\n---\r\nJudge.\r\n",
  );
  expect(other).toMatchObject({ name: "judge", model: "m", tools: ["run_command"], instructions: "Judge." });
  expect(onlyReads(other)).toBe(false);
});

describe("a mistake is told with the file and the remedy", () => {
  it.each([
    ["no front matter", "You review.", "does not begin with front matter"],
    [
      "front matter without an end",
      "---\ndescription: x\nYou review.",
      "its front matter does not end. Write the line",
    ],
    ["front matter without fields", "---\n- a\n---\nx", "by their names, such as description: what the agent does."],
    ["no description", "---\nname: a\n---\nx", "it has no description. Add one to the front matter"],
    ["an empty description", "---\ndescription: ' '\n---\nx", 'description must be a text, and is " "'],
    ["no instructions", "---\ndescription: x\n---\n \n", "it has no instructions. Write them below"],
    ["an unknown key", "---\ndescription: x\ntool: [a]\n---\nx", '"tool" is no field of an agent; there are name,'],
    ["an unknown tool", "---\ndescription: x\ntools: [bash]\n---\nx", '"bash" is no tool that an agent can have'],
    ["tools that are no list", "---\ndescription: x\ntools: read_file\n---\nx", "tools must be a list such as"],
    ["no tools at all", "---\ndescription: x\ntools: []\n---\nx", "tools must be a list such as"],
    ["a name that is not legal", "---\ndescription: x\nname: a b\n---\nx", '"a b" can\'t be the name of an agent'],
    ["a model that is no text", "---\ndescription: x\nmodel: 5\n---\nx", "model must be a text, and is 5"],
    ["YAML that can't be read", "---\ndescription: [\n---\nx", "can't be read"],
    ["too long a text", `---\ndescription: x\n---\n${"x".repeat(70_000)}`, "longer than 64 KiB"],
  ])("%s", (_what, text, words) => {
    expect(() => read(text)).toThrow(words);
    expect(() => read(text)).toThrow(path);
  });
});
