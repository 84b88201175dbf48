// Brings llama-server from Debian testing into a private root, by apt as this machine has it set up. Nothing is installed.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { NotToBeHad } from "./cache.mjs";
import { runCommand } from "./run-command.mjs";

const debian = {
  x64: ["x86_64-linux-gnu", "ld-linux-x86-64.so.2"],
  arm64: ["aarch64-linux-gnu", "ld-linux-aarch64.so.1"],
};
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * The command line that starts llama-server, without options of its own, and its working directory.
 * A llama-server on the PATH is taken first. Then a private root in the cache, which is made if it is missing.
 * @param {{ servers: string }} cache
 * @param {{ say: (line: string) => void, offline?: boolean }} options
 * @returns {Promise<{ command: readonly string[], cwd?: string }>}
 * @throws NotToBeHad
 */
export async function bringServer({ servers }, { say, offline = false }) {
  const own = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "llama-server"));
  const onPath = own.find((path) => existsSync(path));
  if (onPath !== undefined) return { command: [onPath] };
  const [triplet, loader] = process.platform === "linux" ? (debian[process.arch] ?? []) : [];
  if (triplet === undefined)
    throw new NotToBeHad(
      `llama-server: none is on the PATH, and there is no package for ${process.platform} ${process.arch}`,
    );
  const root = join(servers, "llama-server");
  if (!existsSync(root)) {
    if (offline) throw new NotToBeHad("llama-server is neither on the PATH nor in the cache");
    await unpackInto(root, servers, say);
  }
  const libraries = join(root, "usr/lib", triplet);
  const program = join(root, "usr/bin/llama-server");
  const paths = [libraries, join(libraries, "llama")].join(":");
  // The program looks for its backends in the working directory.
  const backends = join(libraries, "ggml");
  const cwd = readdirSync(backends).map((name) => join(backends, name))[0] ?? backends;
  return { command: [join(libraries, loader), "--library-path", paths, program], cwd };
}

/** Downloads the package with all that it depends on, and unpacks it. */
async function unpackInto(root, servers, say) {
  const mirror = await mirrorOfDebian();
  const folder = mkdtempSync(join(servers, "download-"));
  try {
    for (const each of ["state/lists/partial", "cache/archives/partial", "root"])
      mkdirSync(join(folder, each), { recursive: true });
    writeFileSync(join(folder, "status"), "");
    const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : "";
    writeFileSync(join(folder, "sources.list"), `deb ${signed}${mirror} testing main\n`);
    const places = {
      "Dir::State": "state",
      "Dir::State::status": "status",
      "Dir::Cache": "cache",
      "Dir::Etc::sourcelist": "sources.list",
    };
    const options = Object.entries(places).flatMap(([key, path]) => ["-o", `${key}=${join(folder, path)}`]);
    options.push(
      "-o",
      "Dir::Etc::sourceparts=/dev/null",
      "-o",
      "APT::Install-Recommends=false",
      "-o",
      "Debug::NoLocking=1",
    );
    say("reads the package list of Debian testing (16 MB)");
    await runCommand("apt-get", [...options, "update"], { what: "the package list", timeout: 300_000 });
    say("downloads llama.cpp-tools and its libraries (19 MB) and unpacks them in a private root (75 MB)");
    const install = [...options, "install", "--download-only", "--yes", "llama.cpp-tools"];
    await runCommand("apt-get", install, { what: "llama.cpp-tools", timeout: 300_000 });
    const archives = join(folder, "cache/archives");
    for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
      await runCommand("dpkg-deb", ["-x", join(archives, file), join(folder, "root")], { what: file, timeout: 60_000 });
    }
    renameSync(join(folder, "root"), root);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address of the archive that this machine takes Debian's packages from. */
async function mirrorOfDebian() {
  const asked = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const listed = await runCommand("apt-get", asked, { what: "llama-server", timeout: 30_000 });
  const mirror = listed.split("\n").find((address) => /\/debian\/?$/.test(address.trim()));
  if (mirror === undefined) throw new NotToBeHad("llama-server: apt-get on this machine knows no archive of Debian");
  return mirror.trim();
}
