import { describe, expect, it } from "vitest";
import { isLoopback } from "../../../src/model/transport/loopback.js";

describe("isLoopback", () => {
  it("holds for this machine in every spelling of its address, and for nothing else", () => {
    const answers = [
      "http://localhost",
      "http://LOCALHOST:1",
      "http://127.1",
      "http://0x7f.0.0.1",
      "http://2130706433",
      "http://[0:0:0:0:0:0:0:1]",
    ];
    for (const url of answers) expect(isLoopback(new URL(url))).toBe(true);
    for (const url of ["http://localhost.test", "http://127.test", "http://128.0.0.1", "http://[::ffff:1.2.3.4]"]) {
      expect(isLoopback(new URL(url))).toBe(false);
    }
  });
});
