// Names of deliveries: each input has its own, and no later attempt has the name of another input.

import fc from "fast-check";
import { expect, test } from "vitest";
import { inputIdOf, stopPrefix, workOf } from "../../src/host/work.js";

const nameOf = (inputId: string): string => workOf({ session: "s/1~2", agent: "a", input: "go", inputId }).first;

test("an input whose id ends like a later attempt is no later attempt at another input", () => {
  expect(nameOf("a~1")).not.toBe(`${nameOf("a")}~1`);
  expect(inputIdOf(nameOf("a~1"))).toBe("a~1");
});

test("a name tells the id of its input, whatever the id and the attempt are", () => {
  const ids = fc.string({ unit: fc.constantFrom("a", "~", "1", "/", "%", ":", " ", "i:", "é", "👋"), minLength: 1 });
  fc.assert(
    fc.property(ids, fc.nat({ max: 12 }), (id, times) => {
      const name = times === 0 ? nameOf(id) : `${nameOf(id)}~${String(times)}`;
      expect(inputIdOf(name)).toBe(id);
      expect(name.startsWith(stopPrefix("s/1~2"))).toBe(false);
    }),
  );
});

test("an answer without an id is known by itself and by the call that it answers", () => {
  const idOf = (answers: string, input: string) =>
    inputIdOf(workOf({ session: "s/1~2", agent: "a", answers, input }).first);
  expect(idOf("s/call:1:0", "yes")).toMatch(/^a:[0-9a-f]{32}$/);
  const ids = [idOf("s/call:1:0", "yes"), idOf("s/call:1:0", "no"), idOf("s/call:2:0", "yes")];
  expect(new Set(ids).size).toBe(3);
  expect(inputIdOf(`${stopPrefix("s/1~2")}1`)).toBeUndefined();
});
