// The part of node:util that tests use as they are loaded.

import { leftOut } from "./left-out.mjs";

export const promisify = () => leftOut("promisify of node:util");
