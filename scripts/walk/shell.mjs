// The shell of a reader: a release of Node, a package manager, a home folder of its own, and the packed package by the name `lastcall`.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Makes the shell. `home` is an empty folder, `node` a release of the package `node` (default: the Node that runs this), and `manager` a
 * package manager with or without its release.
 */
export function makeShell({ home, tarball, node, manager }) {
  const tools = join(home, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), "{}");
  const wanted = [...(node === undefined ? [] : [`node@${node}`]), ...(manager === "npm" ? [] : [manager])];
  if (wanted.length > 0) {
    const options = { cwd: tools, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] };
    const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...wanted], options);
    if (status !== 0) throw new Error(`npm can't install ${wanted.join(" ")}.`);
  }
  const own = join(tools, "node_modules");
  const setting = (name) => spawnSync("npm", ["config", "get", name], { encoding: "utf8" }).stdout.trim();
  const isPassedOn = (name) => /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i.test(name);
  const base = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassedOn(name))),
    PATH: [join(own, ".bin"), join(own, "node/bin"), ...(process.env["PATH"] ?? "").split(delimiter)].join(delimiter),
    HOME: home,
    npm_config_registry: setting("registry"),
    npm_config_cache: setting("cache"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    // pnpm asks its user about scripts of packages. None is needed here.
    pnpm_config_strict_dep_builds: "false",
    npm_config_strict_dep_builds: "false",
  };
  const isPnpm = /^pnpm\b/.test(manager);

  /** The lines in the words of the package manager, with the tarball for the package. */
  const translate = (lines) => {
    const packed = lines.replace(/^(npm install .*?)\S*\blastcall-\S+\.tgz/gm, `$1${tarball}`);
    if (!isPnpm) return packed;
    return packed
      .replace(/^npm install\b/gm, "pnpm add")
      .replace(/^npx --yes /gm, "pnpm dlx ")
      .replace(/^npx /gm, "pnpm exec ");
  };

  return {
    manager,
    /** Code as a reader with this package manager writes it, as the page about MCP servers says. */
    inItsWords: (code) =>
      isPnpm ? code.replace(/"npx", args: \[.*?\]/, '"pnpm", args: ["exec", "mcp-server-everything"]') : code,
    /** Runs lines in a folder. */
    async run(folder, lines, env = {}) {
      const child = spawn("sh", ["-ec", translate(lines)], {
        cwd: folder,
        env: { ...base, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
      const [status] = await once(child, "close");
      return { stdout, stderr, status };
    },
  };
}
