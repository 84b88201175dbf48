// Node's process for tests: the stand-in of the product, and values that leave a test out.

import { process as ofTheProduct } from "../../../src/web/process.ts";
import { leftOut } from "./left-out.mjs";

export const process = {
  ...ofTheProduct,
  cpuUsage() {
    globalThis.untimedInTest = true;
    return { user: 0, system: 0 };
  },
  on: leftOut("the warnings of Node"),
  version: "without Node",
  versions: {},
};
