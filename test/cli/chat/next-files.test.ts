import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NextFiles } from "../../../src/cli/chat/next-files.js";
import { temporary } from "../command.js";

test("files are taken once, also one that is still being read, and one that failed is none", async () => {
  await using place = await temporary();
  const path = join(place.path, "a.pdf");
  await writeFile(path, "%PDF-1.4\n%%EOF\n");
  const files = new NextFiles();
  const refused = files.add(join(place.path, "gone.pdf"));
  refused.catch(() => undefined);
  const line = files.add(path);
  expect((await files.take()).map(({ name }) => name)).toEqual(["a.pdf"]);
  expect(await line).toBe("attached a.pdf: application/pdf, 15 bytes");
  await expect(refused).rejects.toThrow(/^\/attach .*gone\.pdf: there is no such file/);
  expect(await files.take()).toEqual([]);
});
