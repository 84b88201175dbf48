// Cases that a package of the AI SDK can't carry as they are, by id, with what becomes of them. Each is run: one that holds fails.

const refused = "the package refuses the frame, so the reply is a fault and is asked for again";

/** The cases for the package of OpenAI-compatible servers. @type {ReadonlyMap<string, string>} */
export const notCarried = new Map([
  ["arg-061-arguments-is-object", refused],
  ["arg-062-parameters-key", "the package reads no key but arguments, so the call has none"],
  ["id-005-duplicate-id-identical-call", "the package gives a repeated id a new one, so two calls look like two"],
  ["id-010-numeric-id", refused],
  ["id-012-custom-type", refused],
  ["id-013-flat-call-shape", refused],
  [
    "id-017-legacy-function-call",
    "the package drops function_call, so the reply is a call that nothing was passed on of",
  ],
  ["name-019-empty-name", "the package drops a call without a name, so the model is told of a lost call"],
  ["name-020-null-name", refused],
  ["stream-012-name-never-arrives", refused],
  ["stream-026-null-choices-chunk", refused],
  ["stream-027-second-choice", "the package reads the first choice of each piece, whatever its index is"],
  ["stream-029-done-without-finish", "the package takes no end but a finish reason, so the reply is asked for again"],
  ["stream-055-index-huge", refused],
  ["turn-009-message-key-missing", "a stream has no message that could be missing: this is an empty reply"],
  ["turn-018-usage-nulls-and-strings", refused],
  ["turn-023-role-not-assistant", refused],
]);
