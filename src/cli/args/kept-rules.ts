// Rules that a person chose at questions and kept: a file beside the user's own config has them, by workspace.

import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import type { KeptRule } from "../../permission/index.js";
import { loadSettings } from "../display/settings-text.js";
import { homeOf, type FilePlaces } from "./config.js";
import { changeOwn } from "./trust.js";

/** The kept rules of one workspace. */
export interface KeptRules {
  /** The file that has them. */
  readonly path: string;
  /** The rules, also those that were kept since this was made. */
  readonly rules: readonly KeptRule[];
  /**
   * Keeps a rule for later commands in this workspace.
   * @throws LastcallError `configuration` if the file lies in the workspace, where an agent could write it, or holds no JSON.
   */
  keep(rule: KeptRule): Promise<void>;
}

/**
 * Reads the kept rules of a workspace.
 * @throws LastcallError `configuration` that names the file, if it can't be read.
 */
export async function keptRules({ workdir, env }: Pick<FilePlaces, "workdir" | "env">): Promise<KeptRules> {
  const path = join(homeOf({ env }), "allowed.json");
  const folder = await realpath(workdir);
  // The agent could have written a file in its workspace.
  const isOwn = !(await isInside(path, folder));
  const rules = isOwn ? [...rulesIn(await readAll(path), folder)] : [];
  return {
    path,
    rules,
    async keep(rule) {
      if (!isOwn) throw wrong(`${path} lies in the workspace, where the agent could write it, so it keeps no rules.`);
      const isSame = (one: KeptRule): boolean => one.rule === rule.rule && one.definition === rule.definition;
      await changeOwn(path, async () => {
        const all = await readAll(path);
        return { ...all, [folder]: [...rulesIn(all, folder).filter((one) => !isSame(one)), rule] };
      });
      rules.push(rule);
    },
  };
}

async function readAll(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await loadSettings(path);
  if (file === undefined) return {};
  try {
    const read: unknown = JSON.parse(file.text);
    if (isPlainObject(read)) return read;
  } catch (thrown) {
    throw wrong(`${path} has the rules that you kept, and is no JSON: ${explain(thrown)}. Mend it, or delete it.`);
  }
  throw wrong(`${path} has the rules that you kept, by workspace, and is no object. Mend it, or delete it.`);
}

function rulesIn(all: Readonly<Record<string, unknown>>, folder: string): readonly KeptRule[] {
  const stated = all[folder];
  return Array.isArray(stated) ? stated.filter(isRule) : [];
}

function isRule(one: unknown): one is KeptRule {
  const { rule, definition } = (one ?? {}) as Partial<Record<keyof KeptRule, unknown>>;
  return typeof rule === "string" && (definition === undefined || typeof definition === "string");
}

/** True if the real place of the file, which need not exist yet, is in the folder. */
async function isInside(path: string, folder: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return dirname(path) !== path && isInside(dirname(path), folder);
  const between = relative(folder, real);
  return between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
