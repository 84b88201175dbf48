// Words for programs whose operands are a language of their own.

import { handingGrammars } from "./hand-on.mjs";

const awk = [
  ..."{print} 1 NR==1 {print$1} END{print(NR)} /x/ $1>=1 {print$1,$2}".split(" ").map((text) => `'${text}'`),
  ...[
    "'{print > \"made\"}'",
    "'BEGIN{while((getline l < \".env\")>0)print l}'",
    "'{print | \"cat\"}'",
    "'BEGIN{system(\"id\")}'",
  ],
  ...[
    "'BEGIN{ARGV[1]=\".env\"}1'",
    "'{printf \"%s\\n\", $0}'",
    "'BEGIN{print ENVIRON[\"PATH\"]}'",
    "'BEGIN{print length()}'",
    "'x>=1||1'",
  ],
  ...[
    "'BEGIN{print 1 >=\"made\"}'",
    "'{print $1 >=2}'",
    "'1;'",
    "'{a[$1]++}END{for(k in a)print k}'",
    "'BEGIN { \"id\" | getline }'",
  ],
  ...[
    "'@include \".env\"'",
    '\'BEGIN{printf "x" >> "made"}\'',
    "'BEGIN{close(\"x\")}'",
    "'@load \"time\"'",
    "-f a",
    "-f .env",
    "-F: '{print $2}'",
  ],
  ...[
    "-v x=1 '{print x}'",
    "-v ARGC=3 1",
    "-v 'FS=,' '{print $1}'",
    "1 x=1",
    "1 FS=, a",
    "-- 1",
    "'BEGIN{nextfile}1'",
    "-e 1",
    "-E a",
    "-i inplace 1",
  ],
];
const jq = [
  ...[
    ".",
    ".name",
    "'.x[]'",
    "-r .name",
    "'.x | length'",
    "-n env",
    "-n input",
    "-n 'input_filename'",
    "'include \"a\"; .'",
    "-n '$ENV'",
  ],
  ...[
    "--arg a 1 .",
    "--arg a .env .",
    "--slurpfile a .env .",
    "--slurpfile a a .",
    "--rawfile a ../other/.env '$a'",
    "--rawfile a a '$a'",
  ],
  ...[
    "--argjson a 1 .",
    "-f a .",
    "--from-file a .",
    "-L . .",
    "-Rr .",
    "-R .env",
    "-s .",
    "-c . --indent 1",
    "--args . a",
    "-n '[inputs]'",
  ],
  ...[
    "'import \"a\" as a; .'",
    "--seq .",
    "--stream .",
    "-e .name",
    "'.[\"name\"]'",
    "-nr '\"\\(1)\"'",
    "--arg a -f a .",
    "-rf a",
    "-n 'input|debug'",
  ],
];
const git = [
  ..."status log diff show blame ls-files branch rev-parse remote describe tag shortlog reflog grep cat-file ls-tree stash config".split(
    " ",
  ),
  ..."worktree submodule difftool archive bisect fetch gc notes version help var whatchanged count-objects merge-base rev-list".split(
    " ",
  ),
];
const gitWords = [
  ..."--short -s --oneline -p --stat -a -n1 -1 -5 HEAD HEAD~0 master --name-only --cached --staged -w -- --porcelain -v -b".split(
    " ",
  ),
  ..."--format=%H --pretty=oneline --graph --all --show-toplevel --abbrev-ref --verify --is-inside-work-tree -r -l list -L1,1:a".split(
    " ",
  ),
  ..."--no-index --output=made --ext-diff --textconv -O --open-files-in-pager --show-signature --submodule -S x -G x --follow".split(
    " ",
  ),
  ..."--contents=.env --ignore-revs-file=.env --exclude-from=.env --others -o --recurse-submodules --git-dir=. -c core.pager=./run".split(
    " ",
  ),
  ..."HEAD:a HEAD:src/a.ts :a :0:.env -C . -C .. -C repo --no-pager --paginate show -e get-url origin --get user.name --pathspec-from-file=a".split(
    " ",
  ),
];

/** The words of the first place for the programs whose first operand is a text to run; by name of the program. */
export const scripts = new Map([
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  ["jq", jq],
  [
    "sed",
    [
      "1p",
      "-n 1p",
      "'1,2p'",
      "'$p'",
      "2q",
      "'1p;2d'",
      "-n '$='",
      "1w",
      "'1r .env'",
      "-n '1p;1e'",
      "1,+1p",
      "-e 1p",
      "-f a",
      "-s 1p",
      "-E 1p",
    ],
  ],
]);

/** Commands of programs that have commands of their own, with words from the fixture; by name of the program. */
export const ownGrammars = new Map([
  ...handingGrammars,
  [
    "git",
    (random, path) => [
      ...(random.isWild && random.chance(0.2) ? [random.pick(gitWords)] : []),
      random.pick(git.slice(0, random.isWild ? git.length : 8)),
      ...some(random, 2, () => random.pick(gitWords.slice(0, random.isWild ? gitWords.length : 24))),
      ...some(random, 2, path),
    ],
  ],
  ["test", (random, path) => condition(random, path)],
  ["[", (random, path) => [...condition(random, path), "]"]],
  [
    "xargs",
    (random, path) => [
      ...some(random, 2, () => random.pick(["-0", "-n1", "-I{}", "-r", "-a", "-t", "-L1", "-P2"])),
      ...some(random, 1, () => random.pick(["echo", "cat", "ls", "-", "grep x"])),
      ...some(random, 1, path),
    ],
  ],
  [
    "ps",
    (random) =>
      some(random, 2, () =>
        random.pick([
          "aux",
          "-ef",
          "ax",
          "e",
          "-e",
          "-p 1",
          "-u root",
          "-o pid",
          "auxe",
          "auxw",
          "-A",
          "-uxe",
          "-pe",
          "xe",
        ]),
      ),
  ],
  ["env", (random) => some(random, 1, () => random.pick(["-i", "-0", "X=1", "ls", "-S ls"]))],
  [
    "npm",
    (random) =>
      some(random, 2, () =>
        random.pick(["-v", "--version", "ls", "list", "--depth=0", "--json", "test", "-g", "--prefix=.."]),
      ),
  ],
]);

function some(random, most, make) {
  return random.times(random.below(most + 1), make);
}

function condition(random, path) {
  return random.weighted([
    [5, () => [random.pick("-f -d -e -s -r -w -x -L -h -p -S -b -c -g -u -k -O -G -N -v -o -R".split(" ")), path()]],
    [2, () => [path(), random.pick("= != -nt -ot -ef == < -eq".split(" ")), path()]],
    [1, () => [random.pick(["-n", "-z", "!", "-t"]), random.pick(["x", "''", "1", '"$x"', "-f a"])]],
    [1, () => ["-f", path(), random.pick(["-a", "-o"]), "-d", path()]],
    [1, () => [random.pick(["1", "x", "2"]), random.pick(["-eq", "-lt", "-ge"]), random.pick(["1", "a[$(id)]", "2"])]],
  ])();
}
