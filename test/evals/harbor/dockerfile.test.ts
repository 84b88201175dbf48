// The part of a Dockerfile that needs no container.

import { expect, test } from "vitest";
import { readDockerfile } from "../../../src/evals/harbor/dockerfile.js";

test("a work folder, copies, commands and variables are read; lines that change nothing are passed over", () => {
  const read = readDockerfile(`# syntax=docker/dockerfile:1
FROM --platform=linux/amd64 python:3.12-slim AS main
LABEL a=b
ENV LANG=C.UTF-8 TEST_DIR="/tests"
ENV DEBIAN_FRONTEND noninteractive
WORKDIR /srv
WORKDIR app
COPY --chown=root:root --link data/ .
COPY ["odd name", "two", "into/"]
COPY a.txt b.txt
ADD a.txt ./
RUN mkdir -p out && \\
    # a comment in between
    touch out/x
RUN pip install pytest
EXPOSE 80
CMD ["sleep", "infinity"]
`);
  expect(read).toMatchObject({
    image: "python:3.12-slim",
    folder: "/srv/app",
    variables: { LANG: "C.UTF-8", TEST_DIR: "/tests", DEBIAN_FRONTEND: "noninteractive" },
    installs: ["RUN pip install pytest"],
  });
  const steps = read.steps.map((step) =>
    step.kind === "copy" ? [step.from.join(" + "), step.to] : [step.command.replaceAll(/\s+/g, " "), step.folder],
  );
  expect(steps).toEqual([
    ["data/", "/srv/app/"],
    ["odd name + two", "/srv/app/into/"],
    ["a.txt", "/srv/app/b.txt"],
    ["a.txt", "/srv/app/"],
    ["mkdir -p out && touch out/x", "/srv/app"],
  ]);
  expect(read.unmet).toEqual([]);
});

test.each([
  ["COPY *.py /app/", "a pattern or a variable"],
  ["COPY $FILE /app/", "a pattern or a variable"],
  ["COPY ../secret /app/", "outside of its folder"],
  ["COPY --chmod=755 a /app/", "an option"],
  ["COPY [broken /app/", "a form that is not read"],
  ["COPY a", "no file to copy"],
  ['RUN ["sh", "-c", "x"]', "a form that is not read"],
  ["RUN --mount=type=cache x", "a form that is not read"],
  ["WORKDIR $HOME", "a variable in a path"],
  ['ENTRYPOINT ["/start"]', "needs a container"],
  ["HEALTHCHECK CMD true", "needs a container"],
])("%s is listed with its reason", (line, why) => {
  const { unmet } = readDockerfile(`FROM ubuntu\nWORKDIR /app\n${line}\n`);
  expect(unmet).toEqual([expect.stringContaining(why) as unknown]);
  expect(unmet[0]).toContain(line.slice(0, 20));
});
