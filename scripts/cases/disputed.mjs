// Cases whose expectation is believed to be wrong, by id, with the reason. They are run and shown, but counted separately.

/** @type {ReadonlyMap<string, string>} */
export const disputed = new Map([]);
