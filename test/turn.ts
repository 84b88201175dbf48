// The share of many trials that a check makes. scripts/check.mjs sets TEST_TURN from the commit's hash, so that all trials come round in a
// few checks. Without it, as in `npm run test:slow`, a test makes all of its trials.

const given = process.env["TEST_TURN"] ?? "";

/** The turn of the check; 0 outside of a check. */
export const turn = Number(given);

/** In a check every `parts`th of the trials, by turns from another one on. Otherwise all of them. */
export function share<Trial>(trials: readonly Trial[], parts: number, inTurn: string = given): readonly Trial[] {
  return inTurn === "" ? trials : trials.filter((_trial, index) => index % parts === Number(inTurn) % parts);
}

/** The number of random trials: in a check a `parts`th of the count, since each check draws others. Otherwise the count. */
export function shareOf(count: number, parts: number, inTurn: string = given): number {
  return inTurn === "" ? count : Math.ceil(count / parts);
}
