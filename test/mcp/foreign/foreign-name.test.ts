import { describe, expect, it } from "vitest";
import { toolName } from "../../../src/mcp/foreign/foreign-name.js";

describe("the name of a server's tool", () => {
  const none: ReadonlySet<string> = new Set();

  it("has the server's name before it, and `_` for characters that can't be sent", () => {
    expect(toolName("git", "log", none)).toBe("git__log");
    expect(toolName("git", "pull request.läuft", none)).toBe("git__pull_request_l_uft");
  });

  it("ends with a digest if it is too long or taken, so that no two are the same", () => {
    const long = toolName("git", "x".repeat(100), none);
    expect(long).toMatch(/^git__x{52}_[0-9a-f]{6}$/);
    expect(long.length).toBe(64);
    expect(toolName("git", "a.b", new Set(["git__a_b"]))).toMatch(/^git__a_b_[0-9a-f]{6}$/);
    expect(toolName("git", "a.b", new Set(["git__a_b"]))).not.toBe(toolName("git", "a b", new Set(["git__a_b"])));
  });
});
