// The agent of the replay tests: it reads a bill from a folder, pays it, and is checked.

import { mkdtempSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import {
  createAgent,
  tool,
  type AgentOptions,
  type Check,
  type Decision,
  type FrozenCall,
} from "../../../src/index.js";
import type { Model, Session, Tool } from "../../../src/core/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { giveUp, taskCompletion } from "../../../src/tools/index.js";

/** A new folder with a bill. */
function billFolder(text = "Rent: 50 cents"): string {
  const folder = mkdtempSync(join(tmpdir(), "bill-"));
  writeFileSync(join(folder, "bill.txt"), text);
  return folder;
}

/** The things that happened outside of the journal. */
export interface World {
  readonly folder: string;
  readonly paid: number[];
  readonly looked: string[];
  verified: number;
}

export function newWorld(folder = billFolder()): World {
  return { folder, paid: [], looked: [], verified: 0 };
}

export const paragraphs = ["You keep accounts.", "# Style\n\nBe exact.", "# Limits\n\nNever pay twice."] as const;

export const look = (world: World, description = "Reads a file."): Tool =>
  tool({
    name: "look",
    description,
    effect: "read",
    input: z.object({ path: z.string() }),
    run: ({ path }) => {
      world.looked.push(path);
      return readFile(join(world.folder, path), "utf8");
    },
  });

export const pay = (world: World, most = 1000): Tool =>
  tool({
    name: "pay",
    description: "Pays an amount.",
    effect: "write",
    input: z.object({ cents: z.number().max(most) }),
    run: ({ cents }) => {
      world.paid.push(cents);
      return `Paid ${String(cents)}.`;
    },
  });

export const balanced = (world: World, name = "balanced", passed = true): Check => ({
  name,
  verify: () => {
    world.verified += 1;
    return { passed, output: passed ? "The books balance." : "They do not balance." };
  },
});

/** Allows payments up to an amount, and asks nobody. */
export const rules = (most: number): AgentOptions<readonly Tool[]>["permission"] => {
  const decide = (asked: FrozenCall): Decision => {
    const { cents = 0 } = asked.input as { readonly cents?: number };
    return cents <= most
      ? { allowed: true, reason: "small", basis: "rule" }
      : { allowed: false, reason: "too much", basis: "rule" };
  };
  return { decide, unasked: decide };
};

export const script: Script = [
  [call("look", { path: "bill.txt" })],
  { text: "I pay it.", calls: [call("pay", { cents: 50 })] },
  [call("look", { path: "receipt.txt" })],
  [call("task_completion", { result: "Paid." })],
];

export type Options = AgentOptions<readonly Tool[]>;

/** The options of the bookkeeper. Its model fails if it is asked, unless a script is given. */
export function bookkeeper(world: World, changes: Partial<Options> = {}, model: Model = deafModel()): Options {
  return {
    model,
    instructions: paragraphs.join("\n\n"),
    tools: [look(world), pay(world), taskCompletion(), giveUp()],
    checks: [balanced(world)],
    permission: rules(100),
    ...changes,
  };
}

/** A model that nobody may ask. */
export function deafModel(): Model {
  return {
    name: "scripted",
    provider: "scripted:",
    respond: () => {
      throw new Error("The model of a replay was asked.");
    },
  };
}

/** A finished session of the bookkeeper, as it comes out of a file. */
export async function recordedSession(changes: Partial<Options> = {}, said: Script = script): Promise<Session> {
  const { session } = await createAgent(bookkeeper(newWorld(), changes, scriptedModel(said))).run("Pay the bill");
  return JSON.parse(JSON.stringify(session)) as Session;
}
