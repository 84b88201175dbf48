// With TEST_TRANSPORT=fetch, models that are given neither a dispatcher nor a fetch function send their requests with Node's own fetch, in
// the tests and in the built library: `npm run test:fetch` runs the suites over the second transport.

const usual = "overDispatcher(usualDispatchers())";
const overFetch = "overFetch(globalThis.fetch)";

/** The plugins for Vite and Rolldown. It throws if the line that it changes is no longer there. */
export function transportPlugins() {
  if (process.env["TEST_TRANSPORT"] !== "fetch") return [];
  return [
    {
      name: "over-fetch",
      enforce: "pre",
      transform(code, id) {
        if (!id.endsWith("src/model/transport/transport-of.ts")) return null;
        if (!code.includes(usual)) throw new Error(`scripts/over-fetch.mjs looks for ${usual} in ${id}`);
        return { code: code.replace(usual, overFetch), map: null };
      },
    },
  ];
}
