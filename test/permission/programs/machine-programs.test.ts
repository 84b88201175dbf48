// Programs that tell about the machine: one word more, and they would do more.

import { expect, test } from "vitest";
import { makeScene } from "../scene.js";

const programs = "free lscpu groups locale getconf pgrep cargo rustc java gcc make curl go node openssl bash perl";

test.each([
  "free -h",
  "lscpu",
  "groups",
  "pgrep -fl node",
  "ulimit -n",
  "umask",
  "command -v node",
  "java -version",
  "gcc --version",
  "make -v",
  "curl --version",
  "openssl version",
])("%s tells and does nothing else", async (command) => {
  expect(await makeScene({ a: "" }, programs).question(command)).toBeUndefined();
});

test.each([
  "free -s 1",
  "lscpu -s .",
  "pgrep -F a",
  "ulimit -n 3",
  "umask 000",
  "command node a",
  "command -p node",
  "java @a -version",
  "java -version -cp . A",
  "gcc @a",
  "gcc --version a.c",
  "make",
  "cargo +./evil --version",
  "bash -c --version",
  "perl -v a",
  // It writes counters into the home folder, and may fetch another version.
  "go version",
])("%s is asked about", async (command) => {
  expect(await makeScene({ a: "" }, programs).runs(command)).toBe(false);
});
