// The commands that run the checks of a workspace, with the options that change nothing but the checks that run and their output.

import type { SafeProgram } from "./safe-program.js";

/** A command that runs checks. */
interface Runner {
  /** The words that it begins with. */
  readonly words: readonly string[];
  /** Its own options. Words that are no options choose the checks. */
  readonly options: SafeProgram;
  /** True if all words behind `--` go to the code of the workspace. */
  readonly handsOn?: true;
}

const list = (names: string): readonly string[] => names.split(" ");

/** The scripts of a package that only check. Scripts of other names may publish or deploy. */
const checkScript = /^(?:test|lint|check|typecheck|type-check|types|unit|e2e)(?:[:-][\w.-]+)?$/;

const script: Pick<Runner, "options" | "handsOn"> = { options: { flags: "s", long: ["silent"] }, handsOn: true };

const cargo: SafeProgram = {
  flags: "qv",
  valued: "pFj",
  texts: "pFj",
  long: list(
    "lib bins bin= tests test= example= examples doc all workspace package= all-targets release features= all-features no-default-features no-fail-fast locked offline quiet verbose jobs=",
  ),
};

const pytest: SafeProgram = {
  flags: "qvsxl",
  valued: "km",
  texts: "km",
  long: list("last-failed failed-first lf ff exitfirst maxfail= tb= durations= collect-only co quiet verbose"),
};

const go: SafeProgram = { whole: list("-v -race -short -cover -failfast -run= -count= -timeout= -parallel= -bench=") };

const fixed: readonly Runner[] = [
  ...list("npm pnpm yarn bun").map((name): Runner => ({ words: [name, "test"], ...script })),
  { words: ["cargo", "test"], options: cargo, handsOn: true },
  ...list("check clippy").map((name): Runner => ({ words: ["cargo", name], options: cargo })),
  { words: ["go", "test"], options: go },
  { words: ["go", "vet"], options: { whole: ["-v"] } },
  { words: ["pytest"], options: pytest },
  ...list("python python3").map((name): Runner => ({ words: [name, "-m", "pytest"], options: pytest })),
];

/** The runner that a command begins with; undefined if it begins with none. */
export function runnerOf(words: readonly string[]): Runner | undefined {
  const [name = "", run, named = ""] = words;
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && run === "run" && checkScript.test(named))
    return { words: [name, run, named], ...script };
  return fixed.find((runner) => runner.words.every((word, index) => word === words[index]));
}
