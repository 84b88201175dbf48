// The page of false completions, and the result that its figures come from.

import { characters } from "./characters.mjs";
import { ownArms } from "./arms.mjs";
import { peers, versionOf } from "./packages.mjs";

const begin = "<!-- The figures below are written by npm run peers:truth -- --write. -->";
const end = "<!-- The end of the figures. -->";

/** The rows of the tables: each harness with its words. */
const harnesses = [
  ...ownArms.map(({ name, title }) => ({ name, title })),
  ...peers.map((peer) => ({ name: peer.name, title: `${peer.title} ${versionOf(peer)}` })),
];

/**
 * The result with one more run. The same figures add the run's time. Other figures begin anew, since nothing stands that was seen once.
 * @param {object | undefined} before
 */
export function withRun(before, { at, tasks, versions, counts }) {
  const figures = { tasks, versions, counts };
  const { seenAt = [], ...known } = before ?? {};
  const isSame = JSON.stringify(known) === JSON.stringify(figures);
  return { seenAt: isSame ? [...seenAt, at] : [at], ...figures };
}

/**
 * The page with the figures of the result.
 * @throws Error if the page has no place for them, or if the figures were seen only once.
 */
export function withFigures(page, result) {
  if (result.seenAt.length < 2)
    throw new Error("The figures were seen once. Run it again: they stand if they come out the same.");
  const [before, rest, ...more] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined || more.length > 0) throw new Error(`The page needs one line ${begin} and one line ${end}.`);
  return `${before}${begin}\n\n${sectionOf(result)}\n\n${end}${after}`;
}

function sectionOf({ seenAt, tasks, versions, counts }) {
  const names = Object.keys(characters);
  const of = (harness, model) => counts.find((each) => each.harness === harness && each.model === model);
  const present = harnesses.filter(({ name }) => of(name, names[0]) !== undefined);
  const table = (rows, columns, cell) => [
    `| | ${columns.join(" | ")} |`,
    `| --- |${columns.map(() => " ---: |").join("")}`,
    ...rows.map(
      ({ name, title }) =>
        `| ${title} | ${columns.map((column) => cell(of(name, column), name, column)).join(" | ")} |`,
    ),
  ];
  const own = ownArms.map(({ name, title }) => ({ name, title }));
  return [
    `${tasks} tasks for each cell, one trial each. Seen alike in ${seenAt.length} runs, the last on ${seenAt.at(-1).slice(0, 10)}, with Node ${versions.node} for the peers.`,
    "",
    "**False completions**: the run ended as done, and the truth said no.",
    "",
    ...table(present, names, (own) => String(own.false)),
    "",
    "**Right ends**: the goal was reached, or the agent of a task without a solution said so.",
    "",
    ...table(present, names, (own) => String(own.right)),
    "",
    "**What lastcall called its false completions**, in the field `verified` of the outcome, and the claims that it refused.",
    "",
    "| | model | false completions by `verified` | false claims refused | true claims refused |",
    "| --- | --- | --- | ---: | ---: |",
    ...own.flatMap(({ name, title }) =>
      names.flatMap((model) => {
        const { falseBy, falseRefused, trueRefused } = of(name, model);
        const named = Object.entries(falseBy).map(([verified, count]) => `${count} \`${verified}\``);
        if (named.length === 0 && falseRefused === 0 && trueRefused === 0) return [];
        return [`| ${title} | ${model} | ${named.join(", ") || "none"} | ${falseRefused} | ${trueRefused} |`];
      }),
    ),
  ].join("\n");
}
