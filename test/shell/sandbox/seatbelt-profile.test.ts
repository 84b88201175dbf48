// The profile of macOS for one command: its text. The conformance suite runs it on macOS.

import { describe, expect, test } from "vitest";
import { seatbeltProfile, type SeatbeltPlaces } from "../../../src/shell/sandbox/seatbelt-profile.js";

const places: SeatbeltPlaces = {
  root: "/Users/me/dev/project",
  writable: true,
  temporary: "/private/var/folders/x/T/command",
  home: { homes: ["/Users/me"], empty: ["/Users", "/Users/me/dev"], shown: ["/Users/me/.nvm"] },
  shared: ["/private/tmp", "/private/var/folders/x/T"],
  hidden: ["/Users/me/.ssh", "/Users/me/dev/project/secret"],
  readable: [],
  readOnly: ["/Users/me/dev/project/deploy/go.sh"],
  watched: ["/Users/me/dev/project/a/b/.env", "/Users/me/dev/project/AGENTS.md"],
  opens: [],
};

/** The last rule about an operation that has a filter which matches the path: it decides. */
function decides(profile: string, operation: string, path: string): "allow" | "deny" {
  let verdict: "allow" | "deny" = "allow";
  for (const [, verb, operations = "", filters = ""] of profile.matchAll(
    /^\((allow|deny) ([a-z* -]+?)(?:[ \n]+((?:\([^]*?\)\s*)+))?\)$/gm,
  )) {
    const isAbout = operations
      .split(" ")
      .some(
        (name) =>
          name === "default" || (name.endsWith("*") ? operation.startsWith(name.slice(0, -1)) : name === operation),
      );
    if (!isAbout) continue;
    const forms = [...filters.matchAll(/\((subpath|literal|regex) "((?:[^"\\]|\\.)*)"\)/g)];
    const matches = forms.some(([, kind, escaped = ""]) => {
      const text = escaped.replace(/\\(.)/g, "$1");
      if (kind === "regex") return new RegExp(text).test(path);
      return path === text || (kind === "subpath" && path.startsWith(`${text}/`));
    });
    if (filters === "" || matches) verdict = verb as "allow" | "deny";
  }
  return verdict;
}

const read = (profile: string, path: string): string => decides(profile, "file-read-data", path);
const write = (profile: string, path: string): string => decides(profile, "file-write-data", path);
const at = (path: string): string => `/Users/me/dev/project/${path}`;

describe("the profile of a command", () => {
  test("is this one for a workspace in a home folder", async () => {
    await expect(seatbeltProfile(places)).toMatchFileSnapshot("seatbelt.sb");
  });

  test("has the wall files: nothing outside is written, the workspace and devices are", () => {
    const profile = seatbeltProfile(places);
    for (const path of ["/Users/me/x", "/etc/hosts", "/private/tmp/x", "/Users/me/dev/other/x", "/dev/disk0"])
      expect(write(profile, path), path).toBe("deny");
    for (const path of [at("src/a.ts"), "/dev/null", "/private/var/folders/x/T/command/y"])
      expect(write(profile, path), path).toBe("allow");
    for (const operation of ["file-mount", "lsopen", "appleevent-send", "job-creation", "user-preference-write"])
      expect(profile).toContain(`(if (defined? '${operation}) (deny ${operation}))`);
    expect(profile).toMatch(/^\(deny mach-lookup\)$/m);
    expect(profile).not.toMatch(/launchservicesd|SecurityServer|coreservices|pasteboard|"com\.apple\.securityd/);
  });

  test("has the wall workspace only if it is not writable", () => {
    const profile = seatbeltProfile({ ...places, writable: false });
    for (const path of [at("src/a.ts"), at("x.example")]) expect(write(profile, path)).toBe("deny");
    expect(write(profile, "/private/var/folders/x/T/command/y")).toBe("allow");
  });

  test("has the wall protected, for missing files too, and leaves git's hooks closed if it is opened", () => {
    const closed = seatbeltProfile(places);
    const kept = [".git", ".git/HEAD", "AGENTS.md", "a/b/agents.md", ".VSCODE/tasks.json", "deploy/go.sh", ".envrc"];
    for (const path of kept) expect(write(closed, at(path)), path).toBe("deny");
    for (const path of ["a", "a/b", "deploy"])
      expect(decides(closed, "file-write-unlink", at(path)), path).toBe("deny");
    expect(decides(closed, "file-write-unlink", at("other"))).toBe("allow");
    const open = seatbeltProfile({ ...places, opens: ["protected"] });
    for (const path of [".git/HEAD", ".git/index", ".envrc"]) expect(write(open, at(path)), path).toBe("allow");
    for (const path of [".git/hooks/pre-commit", ".git/config", "sub/.git/config", "deploy/go.sh"])
      expect(write(open, at(path)), path).toBe("deny");
  });

  test("has the wall network unless it is opened", () => {
    expect(seatbeltProfile(places)).toMatch(/^\(deny network\*\)$/m);
    expect(seatbeltProfile(places)).not.toContain("dnssd");
    const open = seatbeltProfile({ ...places, opens: ["network"] });
    expect(open).not.toContain("network*");
    expect(open).toContain("com.apple.dnssd.service");
  });

  test("has the wall home, but for toolchains, and keys stay closed if it is opened", () => {
    const closed = seatbeltProfile(places);
    for (const path of [
      "/Users/me/notes",
      "/Users/other/x",
      "/Users/me/dev/other/x",
      "/Users/me/.ssh/id",
      "/private/tmp/x",
    ])
      expect(read(closed, path), path).toBe("deny");
    for (const path of [at("src/a.ts"), "/Users/me/.nvm/node", "/usr/lib/x", "/etc/hosts"])
      expect(read(closed, path), path).toBe("allow");
    expect(decides(closed, "file-read-metadata", "/Users/me/dev")).toBe("allow");
    expect(read(closed, "/Users/me/dev")).toBe("deny");
    const open = seatbeltProfile({ ...places, opens: ["home"] });
    expect(read(open, "/Users/me/notes")).toBe("allow");
    expect(read(open, "/Users/me/.ssh/id")).toBe("deny");
  });

  test("has the wall secrets unless it is opened, and what rules forbid stays closed", () => {
    const closed = seatbeltProfile(places);
    for (const path of [".env", "a/.env.local", "a/b/server.PEM", "secret/x", ".ssh/id"]) {
      expect(read(closed, at(path)), path).toBe("deny");
      expect(write(closed, at(path)), path).toBe("deny");
    }
    expect(read(closed, at(".env.example"))).toBe("allow");
    const open = seatbeltProfile({ ...places, opens: ["secrets"] });
    expect(read(open, at(".env"))).toBe("allow");
    expect(read(open, at("secret/x"))).toBe("deny");
  });

  test("shows what the caller names, inside of a hidden place too", () => {
    const profile = seatbeltProfile({ ...places, readable: ["/Users/me/.ssh/config", "/Users/me/data"] });
    expect(read(profile, "/Users/me/.ssh/config")).toBe("allow");
    expect(read(profile, "/Users/me/.ssh/id")).toBe("deny");
    expect(read(profile, "/Users/me/data/x")).toBe("allow");
    expect(write(profile, "/Users/me/data/x")).toBe("deny");
  });

  test("closes other processes to signals and looks", () => {
    const profile = seatbeltProfile(places);
    expect(profile).toContain("(deny signal)\n(allow signal (target same-sandbox))");
    expect(profile).toContain("(deny process-info*)\n(allow process-info* (target same-sandbox))");
  });
});
