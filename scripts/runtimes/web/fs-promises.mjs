// The files that tests read as data.

import { readFileSync } from "./fs.mjs";

export const readFile = async (path) => readFileSync(path);
