// The page about secret and protected files is written from the lists in the sources: `npx vitest run test/files/kinds-in-docs.test.ts -u`.

import { join } from "node:path";
import { expect, test } from "vitest";
import { protectedKinds } from "../../src/files/protected-kinds.js";
import { secretFolders, secretKinds } from "../../src/files/secret/secret-kinds.js";

type Row = readonly [what: string, names: string, asked: string, inSandbox: string, source: string];

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const secrets: readonly Row[] = secretKinds.map(({ kind, names, by, source }) => [
  by === "content" ? `${kind}, unless the content is understood and harmless` : kind,
  code(names),
  "reading",
  "empty",
  source,
]);

const byContent: readonly Row[] = [
  [
    "files of any other name whose content shows a secret",
    "endings of data (`.json`, `.yaml`, `.toml`, `.ini`, `.conf`, `.xml`, `.txt`, `.crt`, ...), names without an ending, names that end in `rc`: the first 4 KB",
    "reading",
    "empty",
    "PEM, OpenSSH, PuTTY, age, PGP; service accounts, OAuth clients, JWK; npm, netrc, htpasswd, Docker, kubeconfig, Secret manifests, Terraform, WireGuard; tokens of known makers",
  ],
  [
    "words of secrets as names",
    "`secret`, `credentials`, `password`, `token`, `api_key`, `private_key`, `service-account` and the like, alone or at the end of a name; with an ending of structured data by content",
    "reading",
    "empty",
    "common usage",
  ],
  [
    "files of data in folders of values",
    code([...secretFolders].map((name) => `${name}/*`)),
    "reading",
    "empty",
    "Docker Compose, Kubernetes",
  ],
  [
    "copies of secrets",
    "any of these names with `~`, `.bak`, `.old`, `.orig`, `.swp`, `.1` and the like",
    "reading",
    "empty",
    "editors",
  ],
  [
    "targets of links with these names, also over other links and folders, and their hard links",
    "`.env` -> `settings/dev.txt`",
    "reading",
    "empty",
    "",
  ],
];

const keptFiles: readonly Row[] = protectedKinds.map(({ programs, does, how, names }) => [
  `files that programs run or obey: ${does}`,
  code(names),
  how === "never" ? "writing is refused" : "writing",
  "read-only; renamed after the command that makes one",
  programs,
]);

const around: readonly Row[] = [
  [
    "targets of links with these names, the folder that a `.git` file names, hooks that are links, the folder of `core.hooksPath`",
    "`CLAUDE.md` -> `docs/ai.md`",
    "writing, or refused, as the link is",
    "read-only",
    "git",
  ],
  ["secrets of the repository around the workspace", "all of the above", "outside: refused", "empty", ""],
  ["the home folder, and folders beside the workspace", "all but toolchains", "outside: refused", "not there", ""],
  [
    "secrets in toolchains, their caches and settings",
    "all of the above, down to 4 folders",
    "outside: refused",
    "empty",
    "",
  ],
  [
    "a `bin` on `PATH` in a hidden folder such as `~/.pulumi`",
    "all but programs and libraries",
    "outside: refused",
    "not there",
    "",
  ],
  [
    "as root: files of the system that an ordinary user can't read",
    "by their mode, in local file systems",
    "outside: refused",
    "empty",
    "",
  ],
  [
    "sockets of other programs",
    "by name, by a second mount, and by a look through local file systems",
    "",
    "empty",
    "",
  ],
  ["keys in the kernel's keyrings", "`keyctl`, `add_key`, `request_key`", "", "no such call", ""],
];

const notCovered: readonly (readonly [what: string, why: string])[] = [
  ["a secret in source code or in a document, unless the file begins with a key", "each file would have to be read"],
  ["a secret after the first 4 KB of a file that is not named like one", "the look before a command has to be short"],
  ["secrets that are encoded, compressed, or of an unknown form", "nothing shows them"],
  [
    "in `node_modules`, what is below the top folder of a package; the stores of packages",
    "they came from elsewhere, and a look takes seconds",
  ],
  ["secrets that were committed", "`git show HEAD:.env` prints them; the data of git is shown"],
  ["scripts in `~/.local/bin`, and toolchains deeper than 4 folders", "programs need them"],
  [
    "files of the work: `package.json`, Makefiles, tests, workflows, build scripts",
    "they are what the agent is there for",
  ],
  [
    "the name of the workspace's own folder, such as a workspace in `~/.ssh` or in `.claude`",
    "whoever names the folder wants work in it; names inside of it count",
  ],
  ["links below `node_modules`, and in workspaces of more than 200,000 files", "the look has a bound"],
  [
    "sockets in the workspace, in `/usr`, in file systems of other machines, and those made after the start",
    "a command may need the first; the others are not looked for",
  ],
  ["on macOS: a secret that is known by its content alone and made during the command", "the profile knows names"],
  ["with Landlock, or without a sandbox: what an allowed command reads", "Landlock can't take a file out of a folder"],
];

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const lines = [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
  // In columns of equal width the page would be five times as long.
  return `<!-- prettier-ignore-start -->\n\n${lines}\n\n<!-- prettier-ignore-end -->`;
}

const page = `# Secret and protected files

This page is written by a test from the lists in \`src/files\`. The gate asks about the files below, and a sandbox hides or keeps them. [What the agent may do](what-the-agent-may-do.md) says how the gate
decides, and [ADR 0074](adr/0074-secrets-by-kind.md) why these files count.

Case does not matter. \`*\` is any part of a name, and a name without a slash counts in any folder. Samples are no secrets: \`.env.example\`, \`credentials.sample.json\`, \`secrets.yaml.tpl\`. Neither are
certificates and public keys. A name that ends like source code, a document or a picture counts only if it stands here whole.

${table(["what", "names", "asked about", "in a sandbox", "programs"], [...secrets, ...byContent, ...keptFiles, ...around])}

## Files that count by their content

A settings file is a secret unless all of it is understood and no value in it is a password, a key or a token. \`\${NPM_TOKEN}\`, \`<%= ENV["X"] %>\`, \`changeme\`, the password \`postgres\` and the like
are no secrets. A file of more than 64 KB, or one that can't be read, counts by its name.

A command that fails is told which of the files that were empty for it it has probably missed, and how to ask for them: \`needs: ["secrets"]\`, or \`needs: ["home"]\` for those outside of the workspace.

## Not covered

${table(["what", "why"], notCovered)}
`;

test("the page about secret and protected files says what the lists say", async () => {
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/secret-and-protected-files.md"));
});
