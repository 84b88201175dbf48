// What every sandbox has to keep, as data: for each wall the ways to get through it. Commands find the places in their variables.

import type { Wall } from "../../../src/index.js";

/** One way to get through a wall. */
export interface Try {
  readonly wall: Wall;
  /** It is the end of a test's name: `keeps out: …`. */
  readonly name: string;
  /** The command. `OUTSIDE` is a folder elsewhere, `HOME` the home folder around the workspace, `PORT` and `SOCKET` lead to servers. */
  readonly command: string;
  /**
   * These files are as before, mode included, or missing as before. Their first folder says where they are: `outside`, `home` or `root`.
   * Each stated harm happens in the control, the same command without this wall, so that a mistake in the command is found.
   */
  readonly unchanged?: readonly string[];
  /** Not in the output. */
  readonly unseen?: string;
  /** This server is not reached. */
  readonly unreached?: "tcp" | "udp" | "socket";
  /** The programs that it needs, besides node and sh. */
  readonly needs?: readonly string[];
  /**
   * The control is run by the host's shell, because this harm is prevented also while the wall is open. `none`: it is not run, because the
   * harm would be real. Default: in the same sandbox with the wall open; on the host for walls that can't be opened.
   */
  readonly control?: "host" | "none";
  /** The sandboxes that list this wall and do not hold it against this try, as their documentation says. */
  readonly gapOf?: readonly string[];
}

/** The files before each try. Their first folder says where they are. */
export const given: Readonly<Record<string, string>> = {
  "outside/kept": "as it was\n",
  "outside/empty/kept": "as it was\n",
  "home/notes.txt": "PLANTED\n",
  "home/.ssh/id_rsa": "PLANTED\n",
  "home/dev/beside/main.c": "PLANTED\n",
  "root/kept": "as it was\n",
  "root/.env": "PLANTED\n",
  "root/deep/er/.env.local": "PLANTED\n",
  "root/deep/key.pem": "PLANTED\n",
  "root/AGENTS.md": "as it was\n",
  "root/deep/AGENTS.md": "as it was\n",
  "root/.vscode/tasks.json": "as it was\n",
  "root/.git/HEAD": "as it was\n",
  "root/.git/objects/kept": "as it was\n",
};

const node = `'${process.execPath}'`;
const send = `require("dgram").createSocket("udp4").send("x", Number(process.env.PORT), "127.0.0.1", () => setTimeout(() => process.exit(), 100))`;

export const tries: readonly Try[] = [
  ...[
    { name: "writing to a file outside", command: 'echo x > "$OUTSIDE/kept"', unchanged: ["outside/kept"] },
    { name: "adding to a file outside", command: 'echo x >> "$OUTSIDE/kept"', unchanged: ["outside/kept"] },
    {
      name: "emptying a file outside by its path alone, without opening it",
      command: `perl -e 'truncate "$ENV{OUTSIDE}/kept", 0'`,
      needs: ["perl"],
      unchanged: ["outside/kept"],
    },
    { name: "making a file outside", command: 'echo x > "$OUTSIDE/made"', unchanged: ["outside/made"] },
    {
      name: "making a folder and a link outside",
      command:
        'mkdir "$OUTSIDE/folder"; ln -s /etc/passwd "$OUTSIDE/link"; test -d "$OUTSIDE/folder" && echo x > "$OUTSIDE/folder/made"',
      unchanged: ["outside/folder/made", "outside/link"],
    },
    { name: "removing a file outside", command: 'rm -rf "$OUTSIDE/kept"', unchanged: ["outside/kept"] },
    { name: "removing a folder outside", command: 'rm -rf "$OUTSIDE/empty"', unchanged: ["outside/empty/kept"] },
    { name: "renaming a file outside", command: 'mv "$OUTSIDE/kept" "$OUTSIDE/gone"', unchanged: ["outside/kept"] },
    { name: "moving a file from outside to here", command: 'mv "$OUTSIDE/kept" here', unchanged: ["outside/kept"] },
    { name: "moving a file from here to outside", command: 'mv kept "$OUTSIDE/made"', unchanged: ["outside/made"] },
    {
      name: "writing through a link that it made here",
      command: 'ln -s "$OUTSIDE" way && echo x > way/kept',
      unchanged: ["outside/kept"],
    },
    {
      name: "writing through a second name that it made here",
      command: 'ln "$OUTSIDE/kept" same && echo x > same',
      unchanged: ["outside/kept"],
    },
    { name: "making a file in the home folder", command: 'echo x > "$HOME/made"', unchanged: ["home/made"] },
    { name: "making a start file of the shell", command: 'echo x > "$HOME/.profile"', unchanged: ["home/.profile"] },
    {
      name: "asking a program outside over a socket in the file system",
      command: `${node} -e 'require("net").connect(process.env.SOCKET).on("data", (data) => console.log(String(data))).on("error", () => process.exit(1))'`,
      unreached: "socket" as const,
    },
    {
      name: "mounting something outside",
      command: 'mount -t tmpfs x "$OUTSIDE" && echo done',
      unseen: "done",
      needs: ["mount"],
      control: "none" as const,
    },
    {
      name: "the mode of a file outside",
      command: 'chmod 600 "$OUTSIDE/kept"; chmod 777 "$OUTSIDE/kept"',
      unchanged: ["outside/kept"],
      gapOf: ["Landlock"],
    },
  ].map((one) => ({ wall: "files" as const, ...one })),
  ...[
    { name: "writing to a file", command: "echo x > kept", unchanged: ["root/kept"] },
    { name: "making a file", command: "echo x > deep/made", unchanged: ["root/deep/made"] },
    { name: "removing a file", command: "rm -f kept", unchanged: ["root/kept"] },
    { name: "renaming a folder", command: "mv deep other", unchanged: ["root/deep/AGENTS.md"] },
  ].map((one) => ({ wall: "workspace" as const, ...one })),
  ...[
    {
      name: "changing instructions",
      control: "host" as const,
      command: "echo x > AGENTS.md",
      unchanged: ["root/AGENTS.md"],
    },
    {
      name: "removing instructions further down",
      control: "host" as const,
      command: "rm -f deep/AGENTS.md",
      unchanged: ["root/deep/AGENTS.md"],
    },
    {
      name: "moving instructions away",
      control: "host" as const,
      command: "mv AGENTS.md gone",
      unchanged: ["root/AGENTS.md"],
    },
    { name: "making a file that runs later", command: "echo x > .envrc", unchanged: ["root/.envrc"] },
    {
      name: "making a folder of settings",
      command: "mkdir -p deep/.vscode && echo x > deep/.vscode/tasks.json",
      unchanged: ["root/deep/.vscode/tasks.json"],
    },
    {
      name: "changing tasks",
      control: "host" as const,
      command: "echo x > .vscode/tasks.json",
      unchanged: ["root/.vscode/tasks.json"],
    },
    { name: "changing git's data", command: "echo x > .git/HEAD", unchanged: ["root/.git/HEAD"] },
    { name: "removing git's data", command: "rm -rf .git/objects", unchanged: ["root/.git/objects/kept"] },
  ].map((one) => ({ wall: "protected" as const, ...one })),
  ...[
    {
      name: "a server of this machine",
      command: `${node} -e 'require("net").connect(Number(process.env.PORT), "127.0.0.1").on("data", (data) => console.log(String(data))).on("error", () => process.exit(1))'`,
      unreached: "tcp" as const,
    },
    { name: "a message without a connection", command: `${node} -e '${send}'`, unreached: "udp" as const },
  ].map((one) => ({ wall: "network" as const, ...one })),
  ...[
    { name: "reading a file of the home folder", command: 'cat "$HOME/notes.txt"', unseen: "PLANTED" },
    {
      name: "listing the home folder",
      // Opened, Landlock still leaves the keys out, so the folder around them has no list.
      control: "host" as const,
      command: 'ls -A "$HOME"',
      unseen: "notes.txt",
    },
    { name: "reading the project beside this one", command: "cat ../beside/main.c", unseen: "PLANTED" },
    { name: "listing the folder around this one", command: "ls ..", unseen: "beside" },
    {
      name: "reading through a link",
      command: 'ln -s "$HOME" way && cat way/notes.txt',
      unseen: "PLANTED",
    },
    {
      name: "reading through a second name",
      control: "host" as const,
      command: 'ln "$HOME/notes.txt" same && cat same',
      unseen: "PLANTED",
    },
    {
      name: "moving a file here",
      control: "host" as const,
      command: 'mv "$HOME/notes.txt" here && cat here',
      unseen: "PLANTED",
    },
  ].map((one) => ({ wall: "home" as const, ...one })),
  ...[
    { name: "reading a file of secrets", command: "cat .env", unseen: "PLANTED" },
    { name: "reading one further down", command: "cat deep/er/.env.local deep/key.pem", unseen: "PLANTED" },
    { name: "searching for them", command: "cat deep/*/.env* deep/*.pem .e*", unseen: "PLANTED" },
    { name: "reading a copy", command: "cp .env copy; cat copy", unseen: "PLANTED" },
    { name: "renaming one", command: "mv .env other; cat other", unseen: "PLANTED" },
    { name: "renaming the folder around one", command: "mv deep other; cat other/er/.env.local", unseen: "PLANTED" },
    {
      name: "reading through a second name",
      control: "host" as const,
      command: "ln .env same; cat same",
      unseen: "PLANTED",
    },
  ].map((one) => ({ wall: "secrets" as const, ...one })),
];
