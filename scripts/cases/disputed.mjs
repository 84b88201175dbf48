// Cases that are believed to be wrong: each id with the reason. They are run and shown, and counted apart.

/** @type {ReadonlyMap<string, string>} */
export const disputed = new Map([]);
