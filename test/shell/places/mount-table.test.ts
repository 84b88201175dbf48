// The other paths of a file that is mounted twice.

import { expect, test } from "vitest";
import { isRemote, mountTable, otherPaths, readMounts } from "../../../src/shell/places/mount-table.js";
import { noLinux } from "../../no-linux.js";

const mounts = readMounts(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 8:2 / /home rw - ext4 /dev/sda2 rw
31 22 8:2 /ann /mnt/ann\\040b rw shared:5 - ext4 /dev/sda2 rw
32 22 8:1 /srv/app /data/app rw - ext4 /dev/sda1 rw
33 22 0:40 / /net/x rw - nfs4 server:/x rw
`);

test("a path below a mount is found at the other one, and at none if it is outside of it", () => {
  expect(otherPaths("/home/ann/.ssh", mounts)).toEqual(["/mnt/ann b/.ssh"]);
  expect(otherPaths("/mnt/ann b/x", mounts)).toEqual(["/home/ann/x"]);
  expect(otherPaths("/srv/app/a.sock", mounts)).toEqual(["/data/app/a.sock"]);
  expect(otherPaths("/data/app", mounts)).toEqual(["/srv/app"]);
  expect(otherPaths("/home/bob/.ssh", mounts)).toEqual([]);
});

test("file systems of other machines are told apart", () => {
  expect(mounts.filter(isRemote).map(({ place }) => place)).toEqual(["/net/x"]);
});

test.skipIf(noLinux !== "")(`this system's own table is read${noLinux}`, () => {
  expect(mountTable().map(({ place }) => place)).toContain("/");
});
