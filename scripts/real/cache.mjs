// The cache of real models, outside the repository: model files, a server, logs and raw replies.

import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Something that can't be had on this machine, with the reason. */
export class NotToBeHad extends Error {
  name = "NotToBeHad";
}

/**
 * The folders of the cache. They are made if they are missing.
 * @param {string | undefined} folder Default: `lastcall-real` in the user's cache folder.
 */
export function openCache(folder) {
  const users = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const root = resolve(folder ?? join(users, "lastcall-real"));
  const folders = { models: join(root, "models"), servers: join(root, "servers"), replies: join(root, "replies") };
  try {
    for (const each of Object.values(folders)) mkdirSync(each, { recursive: true });
  } catch (thrown) {
    throw new NotToBeHad(`the cache ${root} can't be made (${thrown.message}); name another one with --cache FOLDER`);
  }
  return { root, ...folders };
}

/** True if the cache, with no download, has all files of a model. */
export const hasAll = (paths) => paths.every((path) => existsSync(path));
