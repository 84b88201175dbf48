// askFirst, gate and everyOf with approvals that come later.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  everyOf,
  type AnyPermission,
  type Deciding,
  type FrozenCall,
  type GivenApproval,
  type Later,
} from "../../src/index.js";
import { permissionConformance } from "../../src/testing/index.js";
import { gate } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";

const root = mkdtempSync(join(tmpdir(), "lastcall-later-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const later: Later = { later: true, reason: "somebody else has to say yes", expiresAfter: 1000 };
const command: FrozenCall = {
  id: "c",
  name: "run_command",
  effect: "execute",
  input: {},
  reach: { command: "npm ci", folder: "." },
};
const deciding: Deciding = {
  signal: new AbortController().signal,
  session: "s",
  preview: () => Promise.resolve(undefined),
};
const answered = (allowed: boolean, always = false): Deciding => {
  const approval: GivenApproval = { allowed, reason: "so it is", basis: "approver", always };
  return { ...deciding, approval };
};

describe.each<[string, (approver: () => Later) => AnyPermission]>([
  ["askFirst", (approver) => askFirst(approver)],
  ["gate", (approver) => gate({ root, approver })],
])("%s", (_name, make) => {
  test("hands on that the approver answers later", async () => {
    expect(await make(() => later).decide(command, deciding)).toEqual(later);
  });

  test("takes the answer for that of the approver, who is not asked again", async () => {
    let asked = 0;
    const permission = make(() => ((asked += 1), later));
    expect(await permission.decide(command, answered(true))).toMatchObject({
      allowed: true,
      reason: "so it is",
      basis: "approver",
    });
    expect(await permission.decide(command, answered(false))).toMatchObject({ allowed: false, reason: "so it is" });
    expect(asked).toBe(0);
  });

  test("allows the same call again after an answer with always, and not after one without", async () => {
    const permission = make(() => later);
    await permission.decide(command, answered(true));
    expect(await permission.decide(command, deciding)).toEqual(later);
    await permission.decide(command, answered(true, true));
    expect(await permission.decide(command, deciding)).toMatchObject({ allowed: true, basis: "grant" });
  });

  test("opens the walls that a yes of the approver opens", async () => {
    const walled: FrozenCall = {
      ...command,
      reach: { command: "npm ci", folder: ".", walls: ["files", "network"], needs: ["network"] },
    };
    expect(await make(() => later).decide(walled, answered(true))).toMatchObject({ allowed: true, opens: ["network"] });
  });
});

describe("gate", () => {
  test("lets a rule that forbids beat the answer", async () => {
    const permission = gate({ root, deny: ["run_command"], approver: () => later });
    expect(await permission.decide(command, answered(true))).toMatchObject({ allowed: false, basis: "rule" });
  });

  test("takes the answer also if nobody is there to ask", async () => {
    expect(await gate({ root }).decide(command, answered(true))).toMatchObject({ allowed: true, basis: "approver" });
  });

  test("opens what the answer opens in the mode that allows all, too", async () => {
    const walled: FrozenCall = {
      ...command,
      reach: { command: "npm ci", folder: ".", walls: ["files", "network"], needs: ["network"] },
    };
    const permission = gate({ root, mode: "allow-all" });
    expect(await permission.decide(walled, answered(true))).toMatchObject({ opens: ["network"] });
  });
});

describe("everyOf", () => {
  const yes: AnyPermission = { decide: () => ({ allowed: true, reason: "yes" }) };
  const no: AnyPermission = { decide: () => ({ allowed: false, reason: "no" }) };
  const parks: AnyPermission = { decide: () => later };
  const other: AnyPermission = { decide: () => ({ later: true, reason: "other" }) };

  test.each<[string, readonly AnyPermission[], object]>([
    ["a denial beats later", [parks, no], { allowed: false, reason: "no" }],
    ["a denial beats later that comes after it", [no, parks], { allowed: false, reason: "no" }],
    ["later beats a yes", [parks, yes], later],
    ["later beats a yes that comes before it", [yes, parks], later],
    ["of two, the first counts", [other, parks], { later: true, reason: "other" }],
  ])("%s", async (_name, permissions, answer) => {
    expect(await everyOf(permissions).decide(command, deciding)).toEqual(answer);
  });
});

for (const { name, run } of permissionConformance(() => gate({ root, approver: () => later })))
  test(`conforms: ${name}`, run);
