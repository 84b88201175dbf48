import { describe, expect, it } from "vitest";
import { closingCall } from "../../../src/core/words/refusals.js";

describe("the words for a call that ends nothing, in the last iteration", () => {
  it("state a fact, not a mistake of form", () => {
    expect(closingCall("read")).toMatchObject({
      kind: "closing",
      tool: "read",
      message: "Not run: the run is being closed, and only a call that ends it is accepted now.",
    });
  });
});
