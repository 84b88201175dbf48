// The package manager that started the command, by the name that it gives itself in the environment.

/** A package manager, and its command lines. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** Installs the packages of a folder. */
  readonly install: string;
  /** Runs a script of package.json. */
  run(script: string): string;
}

const npm: PackageManager = {
  name: "npm",
  install: "npm install",
  run: (script) => (script === "start" || script === "test" ? `npm ${script}` : `npm run ${script}`),
};

const managers: readonly PackageManager[] = [
  npm,
  { name: "pnpm", install: "pnpm install", run: (script) => `pnpm ${script}` },
  { name: "yarn", install: "yarn install", run: (script) => `yarn ${script}` },
  // `bun test` is a runner of its own.
  { name: "bun", install: "bun install", run: (script) => `bun run ${script}` },
];

/** The package manager that `npm_config_user_agent` names, such as `pnpm/10.2.0 npm/? node/v22.0.0`. Default: npm. */
export function packageManager(env: Readonly<Record<string, string | undefined>>): PackageManager {
  const [name] = (env["npm_config_user_agent"] ?? "").split("/");
  return managers.find((one) => one.name === name) ?? npm;
}
