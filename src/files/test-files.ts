// The usual places of tests.

/** Patterns of the files that are usually tests. */
export const testFiles: readonly string[] = [
  "{test,tests,__tests__,spec,specs,e2e}/",
  "*.{test,spec}.*",
  "*_{test,spec}.*",
  "*{Test,Tests,Spec}.{java,kt,scala,cs,swift,php}",
  "{test_*,conftest}.py",
];
