// The part of node:module that tests use as they are loaded.

import { leftOut } from "./left-out.mjs";

export const isBuiltin = () => false;

export const createRequire = () => leftOut("packages that only Node loads");
