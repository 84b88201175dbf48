// The usual places of tests, and of the files that say how tests are run.

/** Patterns of the files that are usually tests. */
export const testFiles: readonly string[] = [
  "{test,tests,__tests__,spec,specs,e2e}/",
  "*.{test,spec}.*",
  "*_{test,spec}.*",
  "*{Test,Tests,Spec}.{java,kt,scala,cs,swift,php}",
  "{test_*,conftest}.py",
];

/** The usual places of tests, and the usual files that configure them and tools like them. */
export const usualTests: readonly string[] = [
  ...testFiles,
  "{vitest,vite,jest,playwright,cypress,karma}.config.*",
  "{eslint,biome}.config.*",
  "{.mocharc,.eslintrc}*",
  "{package,tsconfig*,biome}.json",
  "{Makefile,justfile,Rakefile}",
  "{pyproject,Cargo}.toml",
  "{setup.cfg,pytest.ini,tox.ini,mypy.ini,noxfile.py}",
  "{pom.xml,build.gradle,build.gradle.kts}",
];
