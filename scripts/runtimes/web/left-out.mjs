// A value in place of something that only Node has: a test that uses it is left out, with the reason.

/** Thrown when a test uses something of Node. */
export class LeftOut extends Error {
  name = "LeftOut";
}

/** Stands in for a function, a class or a module of Node. */
export function leftOut(what) {
  const refuse = () => {
    // A source or a test may catch it: then the test fails by something else.
    globalThis.leftOutInTest = what;
    throw new LeftOut(what);
  };
  return new Proxy(function () {}, {
    apply: refuse,
    construct: refuse,
    get: (_target, key) => (typeof key === "symbol" ? undefined : refuse()),
  });
}
