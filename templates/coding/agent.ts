// The coding agent of this folder: the command's tools, a tool of its own, and a check beside the checks of lastcall.config.json.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "lastcall";
import { predicate } from "lastcall/checks";
import type { AgentModule } from "lastcall/command";
import { z } from "zod";
import { script } from "./script.ts";

const changelog = "CHANGELOG.md";

export const noteChange = (root: string) =>
  tool({
    name: "note_change",
    description: `Adds a line to ${changelog} that says what changed for users.`,
    input: z.object({ line: z.string() }),
    effect: "write",
    reach: () => ({ writes: [changelog] }), // The gate allows writes in this folder, and asks about all others.
    run({ line }) {
      appendFileSync(join(root, changelog), `- ${line}\n`);
      return "Noted.";
    },
  });

/** Passes once the changelog has become longer: a change that nobody can read about is not done. */
export function isNoted(root: string) {
  const read = () => readFileSync(join(root, changelog), "utf8");
  const before = read();
  return predicate(`a line in ${changelog}`, () => ({
    passed: read().length > before.length,
    output: "Say what changed for users: note_change.",
  }));
}

const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
const isReal = Boolean(OPENAI_API_KEY) || Boolean(OPENAI_BASE_URL);

export default (({ root, tools }) => ({
  instructions: "You are a careful engineer. Read before you change, change little, and run npm run check.",
  tools: [...tools, noteChange(root)],
  checks: [isNoted(root)],
  ...(!isReal && { model: script() }),
})) satisfies AgentModule;
