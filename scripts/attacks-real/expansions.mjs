// Words that a shell expands: patterns for names of files, and variables.

import { homeMark } from "./fixture.mjs";

const patterns = [
  ..."* ** . .. */ *.ts src/*.ts .e* .* .[!.]* ? ?? [ab] [!a]* [^a]* [a-c] [[:alpha:]] {a,b} */n */* 1* s*/* *.pem".split(
    " ",
  ),
  ..."pair/* pair/[l] -* odd/* odd/[[]z] odd/\\* ~/* ~* [~]/* ../* ../*/* ../other/* in-dir/* out-dir/* secret/* s?cret/*".split(
    " ",
  ),
  ..."src/../* */../a in-dir/../* *p.txt [.]env [s]ecret/n k[e]y.pem src/deep/* */deep/../* 1[0-9] [1]0 /*/version []a] [a".split(
    " ",
  ),
  ...["'*'.pem", '"*"', "'sp ace'/*", "sp*/x*", "odd/'#'*", '"src"/*.ts', "odd/=*", "*'", "src/[a-b].ts", "src/*.t[s]"],
];

const variables = [
  ...[
    "$HOME",
    '"$HOME"',
    "${HOME}",
    "$HOME/.netrc",
    "$PWD",
    '"$PWD"',
    "$OLDPWD",
    "$x",
    "$?",
    "$1",
    "$@",
    '"$@"',
    "$#",
    "$$",
    "$!",
    "$-",
    "$0",
  ],
  ...[
    "${x:-.env}",
    "${HOME%/*}",
    "${#HOME}",
    "$IFS",
    "$PATH",
    "$USER",
    "$LANG",
    "$SHELL",
    "$TERM",
    "$RANDOM",
    "$_",
    "$PPID",
    "$UID",
    "${PWD}x",
  ],
  ...[
    "~/$x",
    "$HOME/*",
    '"$HOME"/*',
    "$HOME'/.netrc'",
    "'$HOME'",
    "\\$HOME",
    "$HOMEx",
    "$HOME.",
    "$PWD/*",
    "$TMPDIR",
    "$LC_ALL",
    "$PS4",
    "$ENV",
  ],
];

/** A path with something in it that the shell replaces, or any such word. */
export function expanded(random, path, { patterns: hasPatterns, variables: hasVariables }) {
  const kinds = [
    ...(hasPatterns
      ? [
          [3, () => patternFor(random, path)],
          [random.isWild ? 2 : 0, () => random.pick(patterns)],
        ]
      : []),
    ...(hasVariables
      ? [
          [2, () => variableFor(random, path)],
          [random.isWild ? 1 : 0, () => random.pick(variables)],
        ]
      : []),
  ];
  return random.weighted(kinds)();
}

/** The path with a part replaced by a pattern for it. */
function patternFor(random, path) {
  const letters = [...path];
  const at = random.below(letters.length);
  const long = at + 1 + random.below(letters.length - at);
  const bare = /^[\w./~-]+$/.test(path) ? letters : letters.map((char) => (/[\w./~-]/.test(char) ? char : "?"));
  return random.weighted([
    [3, () => bare.with(at, "?").join("")],
    [2, () => bare.with(at, `[${bare[at]}]`).join("")],
    [1, () => bare.with(at, "[!x]").join("")],
    [4, () => `${bare.slice(0, at).join("")}*${bare.slice(long).join("")}`],
    [1, () => `${bare.slice(0, at).join("")}'${bare[at]}'${bare.slice(at + 1, -1).join("")}*`],
  ])();
}

/** The path with a variable for its beginning. */
function variableFor(random, path) {
  const [inside, home] = [path.replace(/^\.\//, ""), path.startsWith("~/") ? path.slice(2) : undefined];
  if (path.startsWith(homeMark) || home !== undefined)
    return `${random.pick(["$HOME", "${HOME}", '"$HOME"'])}/${(home ?? path.slice(homeMark.length + 1)).replace(/[^\w./-]/g, "?")}`;
  const rest = /^[\w./-]+$/.test(inside) ? inside : `'${inside.replaceAll("'", `'"'"'`)}'`;
  return random.pick([
    `$PWD/${rest}`,
    `"$PWD"/${rest}`,
    `\${PWD}/${rest}`,
    `"$HOME/dev/project/"${rest}`,
    `"$PWD/../project/${rest}"`,
  ]);
}
