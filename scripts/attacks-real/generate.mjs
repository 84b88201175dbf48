// Makes commands from the gate's own table of programs, seeded. Most of them should be let through, so that they can be compared.

import { corpus } from "./corpus.mjs";
import { mutate, withNoise } from "./mutate.mjs";
import { constructs } from "./constructs.mjs";
import { ownGrammars } from "./programs.mjs";
import { samplesOf, weights } from "./weights.mjs";
import { linkedFolder } from "./fixture.mjs";
import { redirection } from "./redirections.mjs";
import { operand, options, spell } from "./words.mjs";
import { find } from "./run-traced.mjs";

/**
 * Returns a function that makes a command, `{ text, folder }`, from a source of choices. `allows` says whether the gate
 * lets a text through.
 */
export async function generator(table, allows) {
  const programs = [...table].filter(([name, { isBuiltIn }]) => isBuiltIn === true || find(name) !== undefined);
  for (const name of ownGrammars.keys()) if (!table.has(name) && find(name) !== undefined) programs.push([name, {}]);
  const weighted = [];
  for (const [name, program] of programs) {
    const isKnown = !samplesOf.has(name) || (await allows(samplesOf.get(name)));
    weighted.push([(weights[name] ?? 1) * (isKnown ? 1 : 0.1), [name, program]]);
  }
  const known = [];
  for (const [sample, make] of constructs) known.push([(await allows(sample)) ? 1 : 0.08, make]);
  const samples = [];
  for (const { line } of corpus) samples.push([(await allows(line)) ? 1 : 0.15, line]);
  const features = {
    patterns: await allows("cat src/*.ts"),
    variables: await allows('cat "$HOME/dev/project/a"'),
  };
  const noisy = (random, { folder, text }) => ({ folder, text: random.chance(0.06) ? withNoise(random, text) : text });
  return (random) => {
    const made = noisy(random, clean({ ...random, features }));
    // Nobody waits for these.
    return /\bsleep\b[^;&|\n]*[1-9]\d/.test(made.text) ? { ...made, text: "sleep 0.01" } : made;
  };

  function clean(random) {
    const isWild = random.chance(0.3);
    random.isWild = isWild;
    const simple = () => simpleCommand(random, random.weighted(weighted), isWild);
    const folder = random.weighted([
      [12, "."],
      [1, "src"],
      [0.5, "sp ace"],
      [0.5, "pair"],
      [0.3, "odd"],
      [0.3, "hostile"],
      [0.2, "bare"],
    ]);
    if (find("git") !== undefined && random.chance(0.04))
      return { folder: linkedFolder, text: simpleCommand(random, ["git", {}], false) };
    if (random.chance(0.15)) return { folder, text: mutate(random, random.weighted(samples)) };
    const total = known.reduce((sum, [weight]) => sum + weight, 0);
    if (random.chance(Math.min(0.5, total * 0.03))) return { folder, text: random.weighted(known)(random, simple) };
    return { folder, text: commandLine(random, simple, isWild) };
  }
}

/** One to three simple commands, joined. */
function commandLine(random, simple, isWild) {
  const count = random.weighted([
    [60, 1],
    [28, 2],
    [12, 3],
  ]);
  let text = random.chance(0.05)
    ? `cd ${random.pick(isWild ? ["pair", "in-dir", "..", "secret", "~"] : ["src", "src/deep", "'sp ace'", ".", "~/dev/project"])} ${random.pick(["&&", ";"])} `
    : "";
  for (let index = 0; index < count; index += 1) {
    if (index > 0)
      text += random.weighted([
        [8, " | "],
        [5, " && "],
        [4, "; "],
        [2, " || "],
        [1, "\n"],
        [0.3, "|"],
        [isWild ? 0.3 : 0, " & "],
      ]);
    text += withRedirection(random, simple(), redirection(random, isWild));
  }
  return text;
}

/** A redirection stands after the words, or between them. */
function withRedirection(random, text, redirected) {
  const at = redirected.trim() === "" || random.chance(0.6) ? -1 : text.search(/(?<=^[\w.-]+) /);
  return at < 0 ? text + redirected : `${text.slice(0, at)}${redirected}${text.slice(at)}`;
}

function simpleCommand(random, [name, program], isWild) {
  const own = ownGrammars.get(name);
  if (own !== undefined)
    return [name, ...own(random, () => operand(random, { isWrong: isWild && random.chance(0.35) }))].join(" ");
  const given = options(random, program, { isWild });
  if (program.words === "pattern" && random.chance(0.12)) given.push(...patternOption(random, program, isWild));
  const hasPattern = given.some((word) => /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|files|type-list)\b)/.test(word));
  const operands = operandsOf(random, [name, program], isWild).slice(hasPattern && random.chance(0.8) ? 1 : 0);
  const dashes = random.chance(0.06) ? ["--"] : [];
  const isLate = random.chance(0.15);
  const words = isLate ? [...operands, ...given] : [...given, ...dashes, ...operands];
  // find wants its folders before its options.
  const ordered = program.whole === undefined || random.chance(0.1) ? [...words] : [...operands, ...given];
  if (program.whole !== undefined && random.chance(0.05))
    ordered.unshift(
      "--",
      operand(random, { isWrong: false }),
      random.pick(["-delete", "-fprint made", "-exec touch made {} +"]),
    );
  return [name, ...ordered].join(random.chance(0.03) ? "\t" : " ");
}

/** An option by which no operand is a pattern. */
function patternOption(random, { valued = "", long = [] }, isWild) {
  const file = () => operand(random, { isWrong: isWild && random.chance(0.3) });
  const known = [
    ...(valued.includes("f") ? [["-f", file()], [`-f${file()}`], ["-vf", file()]] : []),
    ...(valued.includes("e") ? [["-e", "x"], ["-vex"]] : []),
    ...long
      .filter((one) => /^(?:file=|regexp=|files|type-list)$/.test(one))
      .map((one) => [`--${one}${one === "file=" ? file() : one === "regexp=" ? "x" : ""}`]),
  ];
  return known.length === 0 ? [] : random.pick(known);
}

function operandsOf(random, [name, program], isWild) {
  const { words = "paths", maxWords = 3, takesAnything, whole } = program;
  const path = () => operand(random, { isWrong: isWild && random.chance(0.35) });
  if (name === "sleep") return ["0.01"];
  if (name === "seq") return ["3"];
  if (name === "date") return random.chance(0.5) ? ["+%Y"] : [];
  if (takesAnything || words === "text")
    return random
      .times(random.below(4), () =>
        random.weighted([
          [3, "x"],
          [2, path],
          [1, () => spell(random, random.pick(["%s", "a b", "-n", "$x", "*", "\\n"]))],
        ]),
      )
      .map((one) => (typeof one === "string" ? one : one()));
  if (name === "diff" && random.chance(0.5))
    return random.times(2, () => random.pick(["src", "pair", "pair", "twin", "in-dir", "dirty"]));
  const most = Math.min(maxWords, name === "diff" || name === "cmp" ? 2 : 3);
  const count =
    name === "diff" || name === "cmp"
      ? 2
      : Math.min(
          most,
          random.weighted([
            [12, 0],
            [50, 1],
            [28, 2],
            [10, 3],
          ]),
        );
  const paths =
    whole !== undefined && random.chance(0.7)
      ? [random.pick(["src", ".", "pair", "odd", "dirty"])]
      : random.times(count, path);
  if (words !== "pattern") return paths;
  const patterns =
    name === "sed" ? ["1p", "'1,2p'", "'$p'", "2q", "'1p;2d'"] : ["x", "''", "a", "'x y'", "import", '"^"', "/api"];
  return [random.pick(isWild ? patterns : patterns.slice(0, 7)), ...paths];
}
