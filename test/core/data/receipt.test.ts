import { expect, test } from "vitest";
import { verificationOf, type Receipt, type Verification } from "../../../src/core/data/receipt.js";

type Facts = Partial<Pick<Receipt, "passedAtBaseline" | "failedBefore" | "judged" | "kind">>;

function receipt(facts: Facts): Receipt {
  const fixed = {
    check: "c",
    when: "claim",
    passed: true,
    digest: "",
    duration: 1,
    flaky: false,
    changed: [],
  } as const;
  return { ...fixed, judged: false, failedBefore: 0, record: 1, ...facts };
}

const red = { passedAtBaseline: false };
const green = { passedAtBaseline: true };
const opinion = { judged: true };

test.each<[string, readonly Facts[], Verification]>([
  ["without checks it is unchecked", [], "unchecked"],
  ["a check that failed at first has proved it", [red], "checked"],
  ["checks that had all passed before prove nothing", [green, green], "held"],
  ["one check that failed at first is enough", [green, red], "checked"],
  ["a check that failed on the way has shown that it can fail", [{ ...green, failedBefore: 1 }], "checked"],
  ["only a judge", [opinion], "judged"],
  ["a judge beside checks that had passed before", [green, opinion], "judged"],
  ["a judge beside a check that failed at first", [red, opinion], "checked"],
  ["rules and advice alone prove nothing", [{ kind: "rule", ...red }, { kind: "advice" }], "unchecked"],
  ["a rule that failed on the way is no evidence", [green, { kind: "rule", ...green, failedBefore: 1 }], "held"],
  ["a rule beside a check that failed at first", [red, { kind: "rule", ...green }], "checked"],
  ["a check of an old session, whose baseline is unknown", [{}], "checked"],
])("%s", (_case, facts, verification) => {
  expect(verificationOf(facts.map(receipt))).toBe(verification);
});
