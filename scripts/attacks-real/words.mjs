// The words of generated commands: options from the gate's own table, and operands from the fixture, in many spellings.

import { expanded } from "./expansions.mjs";
import { homeMark, mixedFolders, plainFiles, plainFolders, wrongFiles } from "./fixture.mjs";

/** Values that make sense for options; every other option gets a number. */
const values = {
  pattern: ["x", "a", "'.*'", "''", "'a|b'", "/api", "import", '"x y"', "^", "'[a-z]'"],
  glob: ["'*.ts'", "'*'", ".env", "'*.pem'", "'.*'", "'!*.md'", '"*.txt"', "'**/n'"],
  time: ["1", "-1", "+0"],
};
const valuesByOption = {
  ...Object.fromEntries(["e", "regexp", "regex", "iregex", "r", "replace"].map((name) => [name, values.pattern])),
  ...Object.fromEntries(
    "g glob iglob include exclude exclude-dir name iname path ipath wholename iwholename ignore hide I P"
      .split(" ")
      .map((name) => [name, values.glob]),
  ),
  ...Object.fromEntries("mtime mmin atime amin ctime cmin".split(" ").map((name) => [name, values.time])),
  color: ["always", "never", "auto"],
  colors: ["match:fg:red"],
  colour: ["never"],
  sort: ["size", "path", "name", "time"],
  sortr: ["path"],
  time: ["ctime", "access"],
  "time-style": ["iso", "+%Y", "locale"],
  "block-size": ["K", "1"],
  type: ["f", "d", "ts", "l", "all"],
  "type-not": ["ts"],
  t: ["ts", "1", "x1", ":"],
  T: ["ts", "1"],
  perm: ["644", "-u+r", "/111"],
  user: ["root", "0"],
  group: ["root"],
  size: ["+0", "-1k", "1c"],
  format: ["%n", "'%s %n'", "%U", "'%N'"],
  printf: ["%n", "'%n\\n'"],
  c: ["%n", "1", "'%U %G'", "5"],
  d: [",", "1", "' '", "x", "skip"],
  delimiter: [",", "' '"],
  s: [".ts", ",", "1"],
  k: ["1", "2n", "1,1"],
  "binary-files": ["text", "without-match"],
  from: ["iec", "si"],
  to: ["iec", "si"],
  "max-filesize": ["1M", "10"],
  context: ["1", "0"],
};
const takesPath = /^(?:f|file|-newer|newer|from-file|to-file|files-from|files0-from|reference)$/;

/** Options that the table does not know, or that do more than read. */
const strange = [
  ..."-o --output=made -i --in-place -L --follow --pre=./run -z --files0-from=list -R --dereference-recursive".split(
    " ",
  ),
  ..."-exec --config --hyperlink-format=x -s -S --reg=x --inc=x --fil=.env -O --filename=x -Z --exclude-from=.env".split(
    " ",
  ),
  ..."--ignore-file=.env --pre-glob=x --hostname-bin=./a -fprint -delete -T -u -U --no-ignore-parent --random-source=a".split(
    " ",
  ),
];

/** The text of an operand. A `wrong` one should not be let through; the gate decides. */
export function operand(random, { isWrong }) {
  const path = isWrong
    ? random.weighted([
        [4, random.pick(wrongFiles)],
        [2, random.pick(mixedFolders)],
      ])
    : random.weighted([
        [5, random.pick(plainFiles)],
        [2, random.pick(plainFolders)],
        [0.4, random.pick(mixedFolders)],
      ]);
  const { features = {} } = random;
  if ((features.patterns || features.variables) && random.chance(random.isWild ? 0.2 : 0.12))
    return expanded(random, path, features);
  return spell(random, moved(random, path));
}

/** Another path of the same file, now and then. */
function moved(random, path) {
  if (/^[~/.-]/.test(path)) return path;
  return random.weighted([
    [20, path],
    [2, `./${path}`],
    [1, `src/../${path}`],
    [1, `~/dev/project/${path}`],
    [1, `${homeMark}/dev/project/${path}`],
    [0.5, `in-dir/../${path}`],
    [0.5, `.//${path}`],
    [0.3, `../project/${path}`],
  ]);
}

/** Quotes the text as it has to be, or as it need not be. */
export function spell(random, text) {
  const single = () => `'${text.replaceAll("'", `'"'"'`)}'`;
  const double = () => `"${text.replace(/[$`"\\]/g, String.raw`\$&`)}"`;
  const escaped = () => text.replace(/[^\w./@:,%+~-]/gs, (char) => (char === "\n" ? `'\n'` : `\\${char}`));
  const isPlain = /^[\w./@:,%+~-]+$/.test(text);
  const cut = () => {
    const at = random.below(text.length + 1);
    return isPlain ? `${text.slice(0, at)}'${text.slice(at)}'` : single();
  };
  const bare = isPlain || random.chance(0.02) ? text : single();
  return random.weighted([
    [isPlain ? 12 : 2, bare],
    [2, single()],
    [2, double()],
    [1.5, cut()],
    [0.2, escaped()],
  ]);
}

/** The options of a command, as a list of words. */
export function options(random, program, { isWild }) {
  const count = random.weighted(
    [
      [30, 0],
      [35, 1],
      [20, 2],
      [10, 3],
      [5, 4],
    ].map(([weight, value]) => [weight, value]),
  );
  return random
    .times(count, () => {
      if (random.chance(isWild ? 0.08 : 0.005)) return [random.pick(strange)];
      return option(random, program, isWild);
    })
    .flat();
}

function option(random, { flags = "", valued = "", long = [], whole = [] }, isWild) {
  const kinds = [
    [flags.length > 0 ? 5 : 0, () => [`-${cluster(random, flags)}`]],
    [valued.length > 0 ? 3 : 0, () => shortWithValue(random, { flags, valued }, isWild)],
    [long.length > 0 ? 4 : 0, () => longOption(random, random.pick(long), isWild)],
    [whole.length > 0 ? 8 : 0, () => wholeOption(random, random.pick(whole), isWild)],
  ];
  return kinds.some(([weight]) => weight > 0) ? random.weighted(kinds)() : [];
}

function cluster(random, flags) {
  return random.times(1 + random.below(3), () => random.pick([...flags])).join("");
}

function shortWithValue(random, { flags, valued }, isWild) {
  const letter = random.pick([...valued]);
  const before = flags !== "" && random.chance(0.3) ? cluster(random, flags) : "";
  const value = valueFor(random, letter, isWild);
  return random.chance(0.5) ? [`-${before}${letter}${value}`] : [`-${before}${letter}`, value];
}

function longOption(random, named, isWild) {
  const name = named.replace(/=$/, "");
  const short = isWild && random.chance(0.1) ? name.slice(0, 2 + random.below(name.length)) : name;
  if (!named.endsWith("=")) return [`--${short}`];
  const value = valueFor(random, name, isWild);
  return random.chance(0.6) ? [`--${short}=${value}`] : [`--${short}`, value];
}

function wholeOption(random, named, isWild) {
  if (!named.endsWith("=")) return [named];
  const name = named.slice(0, -1);
  return [name, valueFor(random, name.slice(1), isWild)];
}

function valueFor(random, name, isWild) {
  if (takesPath.test(name)) return operand(random, { isWrong: isWild && random.chance(0.3) });
  if (isWild && random.chance(0.08)) return operand(random, { isWrong: true });
  return random.pick(valuesByOption[name] ?? ["1", "2", "0", "3"]);
}
