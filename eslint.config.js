import { existsSync } from "node:fs";
import tseslint from "typescript-eslint";

/** The rules beside the presets, for all of our TypeScript. */
const ours = {
  "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
  "@typescript-eslint/consistent-type-imports": "error",
  "@typescript-eslint/switch-exhaustiveness-check": "error",
  // A port's method is called on its object, and hooks are bound where they are taken off.
  "@typescript-eslint/unbound-method": "off",
  // `data["key"]` is how a key that is no field of ours is read.
  "@typescript-eslint/dot-notation": "off",
  // A generator of an interface may have nothing to await.
  "@typescript-eslint/require-await": "off",
  // There is no enum here, and the rule takes a tenth of the time of all rules.
  "@typescript-eslint/no-unsafe-enum-assignment": "off",
};

export default tseslint.config(
  {
    ignores: [
      "**/dist/",
      "coverage/",
      "docs/api/",
      "**/node_modules/",
      "test/.cache/",
      "site/.astro/",
      "site/src/content.config.ts",
      // The playground's types are in the packages of the site, which the project itself does without.
      ...(existsSync(new URL("site/node_modules", import.meta.url)) ? [] : ["site/src/playground/"]),
    ],
  },
  {
    files: ["**/*.ts"],
    ignores: ["src/studio/**", "src/web/**", "src/**/*.web.ts", "site/src/playground/**"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // One program for all: sources that are read for the tests, too, are not read and checked twice.
    languageOptions: { parserOptions: { project: "test/tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: ours,
  },
  {
    // The studio runs in browsers, and has a program of its own.
    files: ["src/studio/**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "src/studio/tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: ours,
  },
  {
    // The playground of the site, for browsers.
    files: ["site/src/playground/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: "site/src/playground/tsconfig.json", tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...ours,
      // A view leaves out most types of events.
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // The stand-ins for Node.
    files: ["src/web/*.ts", "src/**/*.web.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "src/web/tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: ours,
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unnecessary-condition": "off",
      // expect.stringContaining and its like are typed as any.
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-base-to-string": "off",
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name='waitFor'][arguments.length=1]",
          message:
            "It gives up after a second, which is little on a busy machine: say how long it may take, such as 20_000.",
        },
      ],
    },
  },
  {
    // Projects as their owners write them: functions without a declared return, and tests of node:test, which nobody awaits.
    files: ["templates/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: "test" }] },
      ],
    },
  },
  {
    // The mistakes that the compiler finds in TypeScript.
    files: ["**/*.{js,mjs}"],
    rules: {
      "no-const-assign": "error",
      "no-dupe-args": "error",
      "no-dupe-keys": "error",
      "no-unreachable": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
    },
  },
);
