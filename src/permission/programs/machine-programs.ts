// Programs that tell about the machine, its processes and the versions of other programs.

import type { SafeProgram } from "./safe-program.js";

const list = (names: string): readonly string[] => names.split(" ");

/** A program that prints its version if it has exactly one of these words. */
function version(forms: string, more: Pick<SafeProgram, "chosenBy" | "obeys" | "heeds"> = {}): SafeProgram {
  const known = new Set(forms.split(" "));
  return { reads: (words) => (words.length === 1 && known.has(words[0] ?? "") ? [] : undefined), ...more };
}

/** A toolchain file may name a folder: then its programs run, and not the installed programs. */
const rust = {
  chosenBy: ["rust-toolchain", "rust-toolchain.toml"],
  obeys: list(".cargo/config .cargo/config.toml"),
  heeds: /^(?:RUSTUP|CARGO)/,
};

const java = { heeds: /JAVA|JDK/ };

/** By name. */
export const machinePrograms: readonly (readonly [name: string, program: SafeProgram])[] = [
  ["free", { flags: "bkmghltw", long: list("human wide total lohi si bytes kibi mebi gibi"), maxWords: 0 }],
  ["lscpu", { flags: "aBbceJpx", long: list("all online offline json bytes"), maxWords: 0 }],
  ["groups", { maxWords: 0 }],
  ["locale", { flags: "a", maxWords: 0 }],
  ["getconf", { words: "text", like: /^[A-Z]\w*$/, maxWords: 1 }],
  ["tty", { flags: "s", maxWords: 0 }],
  ["pgrep", { flags: "lacfinox", valued: "Pu", words: "text", maxWords: 1 }],
  ["ulimit", { flags: "aHScdfmnstv", maxWords: 0, isBuiltIn: true }],
  ["umask", { flags: "S", maxWords: 0, isBuiltIn: true }],
  // Without its option, it runs the words.
  ["command", { reads: readsOfCommand, isBuiltIn: true }],
  // `go version` is left out: it counts its runs in the home folder, and fetches the version that a go.mod names.
  ["cargo", version("--version -V", rust)],
  ["rustc", version("--version -V -vV", rust)],
  ["java", version("-version --version", java)],
  ["javac", version("-version --version", java)],
  ["ruby", version("--version -v")],
  ["perl", version("--version -v")],
  ["python", version("--version -V")],
  ["make", version("--version -v")],
  ["cmake", version("--version")],
  ["gcc", version("--version")],
  ["g++", version("--version")],
  ["cc", version("--version")],
  ["bash", version("--version")],
  ["curl", version("--version -V", { obeys: [".curlrc"] })],
  ["openssl", version("version")],
];

function readsOfCommand([how = "", ...names]: readonly string[]): readonly string[] | undefined {
  return /^-[vV]$/.test(how) && names.every((name) => /^\w[\w.+-]*$/.test(name)) ? [] : undefined;
}
