import { describe, expect, it, test } from "vitest";
import { failClosed, type Decision, type Permission } from "../../../src/core/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { permissionConformance, type PermissionMaker } from "../../../src/testing/index.js";
import { breaches } from "../breaches.js";

describe.each<[string, PermissionMaker]>([
  ["failClosed", () => ({ ...failClosed })],
  ["allowAll", allowAll],
  ["askFirst, yes", () => askFirst(() => true)],
  ["askFirst, no", () => askFirst(async () => ({ allowed: false, reason: "not today" }))],
  ["askFirst, junk", () => askFirst(() => "yes" as never)],
])("%s", (_name, make) => {
  it.concurrent.each(permissionConformance(make))("$name", ({ run }) => run());
});

const yes: Decision = { allowed: true, reason: "yes" };

test.each<[string, Permission["decide"], readonly string[]]>([
  ["answers with a bare yes", () => true as never, ["answers with a Decision"]],
  ["gives no reason", () => ({ allowed: true, reason: "" }), ["answers with a Decision"]],
  ["takes a word for a yes", () => ({ allowed: "yes", reason: "yes" }) as never, ["answers with a Decision"]],
  [
    "changes the call",
    ({ input }) => {
      (input as { path: string }).path = "other.txt";
      return yes;
    },
    ["changes nothing of the call"],
  ],
  ["never answers", () => new Promise(() => undefined), ["settles soon after an abort"]],
])("a permission that %s is caught", async (what, decide, names) => {
  const cases = permissionConformance(() => ({ decide }));
  const found = await breaches(what === "never answers" ? cases.filter(({ name }) => name.includes("abort")) : cases);
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});
