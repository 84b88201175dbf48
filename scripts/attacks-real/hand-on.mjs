// Commands of programs that show files, tell versions, or hand names on to others: find, xargs, loops that read, and sums.

/** Places that the gate may let through, and some that it must not. */
const places = "src/deep/.. gaps gaps gaps tame tame tame/deep ./tame tame/ in-dir odd src pair . dirty -- !x".split(
  " ",
);
const tests = [
  ..."-type_f -type_f -type_f -type_d -type_l -name_'*.ts' -name_'*.ts' -name_'*.txt' -name_a -name_'[a]*' -name_'*' !_-name_a -maxdepth_1 -mindepth_1".split(
    " ",
  ),
  ..."-o_-name_a -not_-path_'*/deep/*' -not_-path_'./odd/*' -path_./odd_-prune_-o -name_deep_-prune_-o -empty -print -depth \\(_-type_f_\\)".split(
    " ",
  ),
].map((words) => words.replaceAll("_", " "));
/** Programs that get the names. */
const readers = [
  ..."cat cat head_-n_2 wc_-l grep_x grep_-n_x grep_-l_x ls ls_-l stat file md5sum tail_-1 strings nl cut_-c1 sort du basename".split(
    " ",
  ),
  ..."grep grep_-e grep_-f grep_-r_x grep_-c sort_-o rg_x rg awk_1 awk xxd uniq diff tac less more sed_-n_1p sed jq_. printf_%s printf_%d".split(
    " ",
  ),
  ..."touch sh_-c echo echo test_-f [ tar_tf find cat_-n cat_a cat_.env head_a xargs".split(" "),
].map((words) => words.replaceAll("_", " "));
const filters = [
  "sort",
  "sort -u",
  "head -3",
  "head -n 2",
  "tail -1",
  "grep -v x",
  "grep ts",
  "uniq",
  "cut -c3-",
  "tr / x",
  "sed s/x/y/",
  "head -c 9",
];

function some(random, most, make) {
  return random.times(random.below(most + 1), make);
}

const finding = (random) => [random.pick(places), ...some(random, 3, () => random.pick(tests))].join(" ");

function findExec(random) {
  const program = random.pick(readers);
  const end = random.pick(["{} +", "{} \\;", "{} \\;", "\\;", "+", "{} x \\;", "x{} \\;"]);
  const more = random.chance(0.15)
    ? ` ${random.pick(["-print", "-o -name a", "-exec touch made \\;", "-type f"])}`
    : "";
  return `find ${finding(random)} -exec ${program} ${end}${more}`;
}

function handedOn(random) {
  const source = random.weighted([
    [6, () => `find ${finding(random)}`],
    [2, () => `find ${finding(random)} -print0`],
    [2, () => `git ls-files ${random.pick(["", "", "'*.ts'", "-z", "-o", "src", "tame", "-s"])}`],
    [2, () => `rg ${random.pick(["-l x", "--files", "-l -e x", "-n x", "-c x"])} ${random.pick(places)}`],
    [1, () => `grep ${random.pick(["-rl x", "-rn x", "-rL x"])} ${random.pick(places)}`],
    [0.5, () => "cat list"],
    [0.5, () => `find ${random.pick(places)} -printf '%f\\n'`],
  ])();
  const zero = source.includes("print0") || source.includes("-z");
  const middle = random.chance(0.25) ? ` | ${random.pick(filters)}` : "";
  const errors = random.chance(0.05) ? random.pick([" 2>&1", " 2>/dev/null"]) : "";
  const own = random.weighted([
    [5, zero ? "-0 " : ""],
    [1, ""],
    [1, "-0 "],
    [1, "-n1 "],
    [1, "-n 2 "],
    [1, "-I{} "],
    [0.5, "-d '\\n' "],
    [0.5, "-P2 "],
    [0.5, "-r "],
    [0.2, "-a list "],
  ]);
  return `${source}${errors}${middle} | xargs ${own}${random.pick(readers)}${own === "-I{} " ? " {}" : ""}`;
}

const loopNames = ["f", "f", "line", "x", "PATH", "IFS", "path", "status"];
const inputs = ["list", "a", "tame/a.ts", ".env", "out", "'sp ace/x y.txt'"];

function readingLoop(random) {
  const name = random.pick(loopNames);
  const body = random.pick([
    `echo "$${name}"`,
    `printf '%s\\n' "$${name}"`,
    `printf '%d\\n' "$${name}"`,
    `printf "$${name}"`,
    `echo $${name}`,
    `cat "$${name}"`,
    `[ -n "$${name}" ] && echo "$${name}"`,
    `[ -f "$${name}" ]`,
    `[ "$${name}" -eq 1 ]`,
    `ls; echo "x$${name}"`,
    `cat`,
    `test "$${name}" = a && pwd`,
  ]);
  const condition = `${random.pick(["", "", "IFS= ", "'IFS=' ", "IFS=/ "])}read ${random.pick(["", "-r ", "-r ", "-a "])}${name}`;
  const loop = `while ${condition}; do ${body}; done`;
  return random.pick([
    `${loop} < ${random.pick(inputs)}`,
    `cat ${random.pick(inputs)} | ${loop}`,
    `git ls-files | ${loop}`,
    `${loop} < list | sort`,
    `for ${name} in a b; do ${loop}; cat "$${name}"; done < list`,
  ]);
}

/** A loop in a loop, perhaps over the same variable. */
function loopInLoop(random) {
  const [outer, inner] = [random.pick(["f", "x"]), random.pick(["f", "x"])];
  const files = ["a", "b", "src/a.ts", "../other/notes.txt", "out", "list"];
  const words = () => random.times(1 + random.below(2), () => random.pick(files)).join(" ");
  return `for ${outer} in ${words()}; do for ${inner} in ${words()}; do echo $${inner}; done; cat $${outer}; done`;
}

function sum(random) {
  const number = () => random.pick(["1", "2", "7", "10", "0", "07", "x", "123456", "a[$(id)]"]);
  const operators = [" + ", "-", "*", "/", "%", "**", "<<", "?", "="];
  const text =
    Array.from({ length: 1 + random.below(3) }, () => number() + random.pick(operators)).join("") +
    random.pick(["1", "2", "3"]);
  return random.pick([
    `echo $((${text}))`,
    `head -n $((${text})) a`,
    `echo "$((${text}))">/dev/null`,
    `cat a$((${text}))`,
    `seq $((${text}))>/dev/null`,
  ]);
}

const revisions = [
  "HEAD",
  "HEAD~0",
  "master",
  "HEAD a",
  "-- a",
  "a",
  "src",
  ".env",
  "../other/.env",
  "refs/heads/x",
  "x",
  "",
];
const gitOptions =
  "-v -s -r -p -q --heads --short --name-only -a --all --no-commit-id -d --verify --hash --cached --exclude-existing --stdin -z -H -m";
const reading = [
  ..."show-ref,symbolic-ref,count-objects,cherry,check-attr,diff-tree,stash show,config user.name,config --get core.editor".split(
    ",",
  ),
  ..."config core.hooksPath,config credential.helper,config user.name x,check-attr diff,symbolic-ref --short".split(
    ",",
  ),
];

const gitReader = (random) =>
  [
    "git",
    random.pick(reading),
    ...some(random, 2, () => random.pick(gitOptions.split(" "))),
    random.pick(revisions),
  ].join(" ");

/** More constructs of the shell: each is made often only if the gate lets through its sample. */
export const handingConstructs = [
  ["find tame -type f | xargs cat", handedOn],
  ["find tame -type f | xargs wc -l", handedOn],
  ["find tame -type f -exec cat {} +", findExec],
  ['while read -r f; do echo "$f"; done < a', readingLoop],
  ["for f in a; do for x in b; do echo $x; done; cat $f; done", loopInLoop],
  ["git show-ref", gitReader],
  ["echo $((1+2))", sum],
  [
    'ls "$(pwd)/src"',
    (random, make) =>
      `${make()} ${random.pick(['"$(pwd)"', "$(pwd)/src", '"$(pwd)/src/a.ts"', "$(pwd)/.env", "$(pwd )"])}`,
  ],
];

const version = (forms) => (random) => [random.pick([...forms, "x", "@list", ""])];
const versions = ["--version", "-version", "-V", "-v", "version"];
const formats = [
  "%s",
  "'%s %d\\n'",
  "%d",
  "'%5.2f'",
  "'%*s'",
  "%b",
  "'%%%d'",
  "x",
  "'%n'",
  "-v",
  "'%q'",
  "'%-10s|%x'",
  "'%1$s'",
];
const numbers = ["1", "-2", "x", "'path[$(touch made)]'", "'PATH[$(touch made)]'", "1.5", '"$?"', "a"];

/** Commands of programs whose words are read one by one. */
export const handingGrammars = new Map([
  ["printf", (random) => [random.pick(formats), ...some(random, 3, () => random.pick(numbers))]],
  [
    "command",
    (random) => [
      random.pick(["-v", "-v", "-V", "-p", "", "-pv"]),
      random.pick(["ls", "node", "cat", "x", "./a", "'a b'"]),
      ...some(random, 1, () => "ls"),
    ],
  ],
  [
    "xxd",
    (random, path) => [
      ...some(random, 2, () =>
        random.pick([
          "-c 8",
          "-c8",
          "-p",
          "-ps",
          "-l 4",
          "-s 1",
          "-g2",
          "-ac 8",
          "-r",
          "-i",
          "-b",
          "-plain",
          "-autoskip",
          "-E",
        ]),
      ),
      path(),
      ...(random.chance(0.15) ? [random.pick(["made", path()])] : []),
    ],
  ],
  [
    "strings",
    (random, path) => [
      ...some(random, 2, () =>
        random.pick(["-n 4", "-n4", "-4", "-a", "-t x", "-tx", "-f", "-n @list", "@list", "-d", "-o"]),
      ),
      path(),
    ],
  ],
  ["tac", (random, path) => [...some(random, 1, () => random.pick(["-b", "-s x", "-"])), ...some(random, 2, path)]],
  [
    "tar",
    (random, path) => [
      random.pick(["tf", "-tf", "tzf", "-tvf", "-tzf", "xf", "-cf", "-tf -C .."]),
      random.pick(["a.tgz", "a.tgz", "made", "evil:a", path()]),
    ],
  ],
  ["unzip", (random, path) => [random.pick(["-l", "-v", "-p", "-o", ""]), random.pick(["list", "a", "'*'", path()])]],
  ...[
    "cargo",
    "rustc",
    "java",
    "javac",
    "ruby",
    "perl",
    "python",
    "make",
    "cmake",
    "gcc",
    "g++",
    "cc",
    "bash",
    "curl",
    "openssl",
  ].map((name) => [name, version(versions)]),
]);

/** How often these come up, if not once, and commands by which the gate shows that it knows them. */
export const handingWeights = {
  node: 3,
  python3: 3,
  printf: 3,
  less: 3,
  more: 2,
  bat: 2,
  batcat: 3,
  xxd: 4,
  strings: 4,
  tac: 2,
  tar: 2,
  java: 0.3,
  javac: 0.3,
  curl: 0.5,
};
export const handingSamples = [
  ["printf", "printf x"],
  ["command", "command -v ls"],
  ["xxd", "xxd a"],
  ["strings", "strings a"],
  ["tac", "tac a"],
  ["tar", "tar tf a"],
  ["unzip", "unzip -l a"],
];
