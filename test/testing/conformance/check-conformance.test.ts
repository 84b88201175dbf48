import { describe, expect, it, test } from "vitest";
import type { Check } from "../../../src/core/index.js";
import { checkConformance, type CheckMaker } from "../../../src/testing/index.js";
import { breaches } from "../breaches.js";

const literal: CheckMaker = (passes) => ({
  name: "notes are there",
  verify: () => ({ passed: passes, output: passes ? "3 notes" : "There are no notes." }),
});

describe("a literal check", () => {
  it.each(checkConformance(literal))("$name", ({ run }) => run());
});

function broken(verify: (passes: boolean) => Check["verify"], name = "broken"): CheckMaker {
  return (passes) => ({ name, verify: verify(passes) });
}

test.each<[string, CheckMaker, readonly string[]]>([
  [
    "always says yes",
    broken(() => () => ({ passed: true, output: "fine" })),
    ["for a no as for a yes", "says the same"],
  ],
  [
    "throws for a no",
    broken((passes) => () => {
      if (!passes) throw new Error("3 tests failed");
      return { passed: true, output: "" };
    }),
    ["for a no as for a yes"],
  ],
  ["says no more than yes or no", broken((passes) => () => passes as never), ["for a no as for a yes"]],
  [
    "mends what it looks at",
    broken((passes) => {
      let isMended = passes;
      return () => {
        const passed = isMended;
        isMended = true;
        return { passed, output: "" };
      };
    }),
    ["changes nothing"],
  ],
  ["has no name", broken((passes) => () => ({ passed: passes, output: "" }), ""), ["has a name"]],
  [
    "is deaf to the signal",
    broken((passes) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 1200));
      return { passed: passes, output: "" };
    }),
    ["settles soon after an abort"],
  ],
])("a check that %s is caught", async (what, make, names) => {
  const cases = checkConformance(make);
  const found = await breaches(
    what === "is deaf to the signal" ? cases.filter(({ name }) => name.includes("abort")) : cases,
  );
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});
