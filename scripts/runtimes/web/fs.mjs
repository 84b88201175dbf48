// The files that tests read as data. The side of Node hands them over before the first test.

import { leftOut } from "./left-out.mjs";

const files = () => globalThis.filesOfTests ?? {};

export const existsSync = (path) => Object.hasOwn(files(), path);

export function readFileSync(path) {
  if (!existsSync(path)) leftOut(`the file ${path}`)();
  return files()[path];
}
