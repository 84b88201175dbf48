import { describe, expect, test } from "vitest";
import { fieldsIn, readReply } from "../../../src/studio/data/reply-fields.js";

const schema = {
  type: "object",
  properties: {
    city: { type: "string", description: "the place" },
    nights: { type: "integer" },
    breakfast: { type: "boolean" },
    room: { enum: ["single", "double"] },
    extras: { type: "array" },
  },
  required: ["city"],
};

describe("the form of a reply", () => {
  test("has one field for words without a schema", () => {
    const fields = fieldsIn(undefined, "Answer");
    expect(fields).toMatchObject([{ name: "", label: "Answer" }]);
    expect(readReply(undefined, fields, { "": "Postgres" })).toBe("Postgres");
  });

  test("has a field for each property, with its kind", () => {
    expect(fieldsIn(schema, "Answer")).toMatchObject([
      { name: "city", label: "city: the place", isRequired: true, isJson: false },
      { name: "nights", isNumber: true },
      { name: "breakfast", choices: ["true", "false"] },
      { name: "room", choices: ["single", "double"] },
      { name: "extras", label: "extras (JSON)", isJson: true },
    ]);
  });

  test("reads the values of its fields, and leaves out those that are empty", () => {
    const values = { city: "Rome", nights: "3", breakfast: "false", extras: '["sea"]' };
    expect(readReply(schema, fieldsIn(schema, ""), values)).toEqual({
      ...{ city: "Rome", nights: 3, breakfast: false, extras: ["sea"] },
    });
  });

  test("keeps a field that has to be there, though it is empty", () => {
    expect(readReply(schema, fieldsIn(schema, ""), { room: "single" })).toEqual({ city: "", room: "single" });
  });

  test("says which field is no JSON", () => {
    expect(() => readReply(schema, fieldsIn(schema, ""), { city: "Rome", extras: "sea" })).toThrow(
      "extras (JSON) is no JSON.",
    );
  });

  test("takes a whole reply that is no object of fields", () => {
    const whole = { type: "object" };
    expect(readReply(whole, fieldsIn(whole, ""), { "": '{"a":1}' })).toEqual({ a: 1 });
    const number = { type: "number" };
    expect(readReply(number, fieldsIn(number, ""), { "": "7" })).toBe(7);
  });
});
