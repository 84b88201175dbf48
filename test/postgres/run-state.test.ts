import { expect, test } from "vitest";
import { stateAfter } from "../../src/postgres/run-state.js";

test.each([
  [["{}"], undefined],
  [['{"type":"input","text":"x"}'], "open"],
  [['{"type":"resume"}'], "open"],
  [['{"type":"outcome","status":"waiting"}'], "waiting"],
  [['{"type":"input"}', '{"type":"outcome","status":"failed"}'], "failed"],
  [['{"type":"outcome","status":"failed"}', '{"type":"input"}', '{"type":"reply"}'], "open"],
  [['{"type":"result","text":"{\\"type\\":\\"outcome\\"}","also":{"type":"outcome","status":"waiting"}}'], undefined],
  [['{"type":"input"}', '{"type":"fork","from":"s@1"}'], "aborted"],
  [['{"type":"fork","from":"s@1"}', '{"type":"resume"}'], "open"],
  [['no JSON "type":"outcome"'], undefined],
  [[], undefined],
])("the state after %j is %s", (lines, state) => {
  expect(stateAfter(lines)).toBe(state);
});
