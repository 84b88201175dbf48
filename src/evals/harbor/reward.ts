// The reward that the tests of a Harbor task leave in a file, as an answer.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPlainObject } from "../../core/internal.js";
import type { Answer } from "../plan/truth.js";

/**
 * Reads `reward.json`, else `reward.txt`, of the folder. A reward of 1 or more is a yes, and a smaller reward is a no. A file that is
 * missing, empty or no finite number is void: nobody knows what the tests would have said.
 * @param why The end of the tests in words.
 */
export async function rewardIn(folder: string, why: string): Promise<Answer> {
  const read = async (name: string): Promise<string | undefined> =>
    readFile(join(folder, name), "utf8").catch(() => undefined);
  const json = await read("reward.json");
  const text = json ?? (await read("reward.txt"));
  const told = (problem: string): Answer => ({ is: "void", why: `${problem}. The tests ended with ${why}` });
  if (text === undefined) return told("The tests wrote no reward");
  const name = json === undefined ? "reward.txt" : "reward.json";
  const reward = json === undefined ? numberIn(text) : rewardOf(text);
  if (reward === undefined) return told(`${name} holds no reward, but ${JSON.stringify(text.slice(0, 200))}`);
  return { is: reward >= 1 ? "yes" : "no", why: `reward ${String(reward)}; ${why}` };
}

function numberIn(text: string): number | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** A number alone, the field `reward`, or the one field that is there. */
function rewardOf(text: string): number | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isPlainObject(read)) {
    const values = Object.values(read);
    read = read["reward"] ?? (values.length === 1 ? values[0] : undefined);
  }
  if (typeof read === "boolean") return read ? 1 : 0;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}
