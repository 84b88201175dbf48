import { expect, test } from "vitest";
import { isSamePrincipal, readPrincipal } from "../../../src/core/internal.js";

test("a principal keeps its fields and nothing else", () => {
  const given = { id: "7", name: "Ada", tenant: "acme", roles: ["admin"], token: "secret", email: "a@b.c" };
  expect(readPrincipal(given, "by")).toEqual({ id: "7", name: "Ada", tenant: "acme", roles: ["admin"] });
  expect(readPrincipal({ id: "7" }, "by")).toEqual({ id: "7" });
});

test.each([
  [undefined, "by is no principal"],
  ["ada", "by is no principal"],
  [{}, "by has no usable id"],
  [{ id: " " }, "by has no usable id"],
  [{ id: "x".repeat(201) }, "by has no usable id"],
  [{ id: "\ud800" }, "by has no usable id"],
  [{ id: "7", name: 1 }, "by has a name that is no usable text"],
  [{ id: "7", tenant: "" }, "by has a tenant that is no usable text"],
  [{ id: "7", roles: "admin" }, "by has roles that are no list of at most 100 texts"],
  [{ id: "7", roles: Array(101).fill("r") }, "by has roles that are no list of at most 100 texts"],
])("%j is refused, with the way to mend it", (given, problem) => {
  expect(() => readPrincipal(given, "by")).toThrow(`${problem}: give { id, name, tenant, roles }`);
});

test("two are the same by id and tenant", () => {
  const ada = { id: "7", tenant: "acme", name: "Ada" };
  expect(isSamePrincipal(ada, { id: "7", tenant: "acme", roles: ["admin"] })).toBe(true);
  expect(isSamePrincipal(ada, { id: "7" })).toBe(false);
  expect(isSamePrincipal(ada, { id: "7", tenant: "other" })).toBe(false);
  expect(isSamePrincipal(ada, { id: "8", tenant: "acme" })).toBe(false);
});
