// The programs that only read files and print, with their harmless options.

import { readsOfPrintf, readsOfPs, readsOfTest, readsOfXargs } from "./expressions.js";
import { machinePrograms } from "../programs/machine-programs.js";
import type { SafeProgram } from "../programs/safe-program.js";
import { viewers } from "../programs/viewers.js";

export type { SafeProgram } from "../programs/safe-program.js";

const list = (names: string): readonly string[] => names.split(" ");

/**
 * A text without output to files or programs, and without other files. A variable from an option may not be a variable
 * that awk gives a meaning to, besides the separators.
 */
const awk: SafeProgram = {
  valued: "Fv",
  texts: "Fv",
  words: "pattern",
  like: /^(?!.*(?:getline|system|close|ARGV|ARGC|SYMTAB|PROCINFO|ENVIRON|\\\n))(?:[^>|@]|>=|\|\|)*$/s,
  refuses: /^(?!I?FS=|O?FS=|O?RS=)[A-Z_]\w*=/,
};

/** By name. Every other program needs a rule or an approval. */
export const safePrograms: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ...viewers,
  ...machinePrograms,
  ["pwd", { flags: "LP", isBuiltIn: true }],
  ["echo", { takesAnything: true, isBuiltIn: true }],
  ["printf", { reads: readsOfPrintf, isBuiltIn: true }],
  ["true", { takesAnything: true, isBuiltIn: true }],
  ["false", { takesAnything: true, isBuiltIn: true }],
  ["test", { reads: (words) => readsOfTest(words), isBuiltIn: true }],
  ["[", { reads: (words) => (words.at(-1) === "]" ? readsOfTest(words.slice(0, -1)) : undefined), isBuiltIn: true }],
  ["xargs", { reads: readsOfXargs, runBy: "echo" }],
  ["env", { maxWords: 0 }],
  ["printenv", { words: "text", like: /^\w+$/ }],
  ["ps", { flags: "eAfFlwH", maxWords: 0, reads: readsOfPs }],
  ["column", { flags: "tenx", valued: "cos" }],
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  [
    "jq",
    {
      flags: "rcCMaSesnjR",
      words: "pattern",
      // Reads modules and other files, or the variables of the process.
      like: /^(?!.*(?:import|include|input_filename|modulemeta|get_search_list|\benv\b|\bENV\b))/s,
      long: list(
        "raw-output compact-output color-output monochrome-output ascii-output sort-keys exit-status slurp null-input join-output raw-input tab indent=",
      ),
      pairs: { arg: "text", argjson: "text", slurpfile: "path", rawfile: "path" },
    },
  ],
  [
    "ls",
    {
      flags: "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
      valued: "ITw",
      long: list(
        "all almost-all author escape block-size= ignore-backups classify color color= directory group-directories-first human-readable si inode ignore= numeric-uid-gid file-type reverse recursive size sort= time= time-style= full-time hide= width=",
      ),
    },
  ],
  ["cat", { flags: "AbeEnstTuv", long: list("show-all number-nonblank show-ends number squeeze-blank show-tabs") }],
  ["nl", { flags: "p", valued: "bdfhilnsvw" }],
  ["head", { flags: "qvz0123456789", valued: "cn", long: list("bytes= lines= quiet silent verbose") }],
  ["tail", { flags: "qvz0123456789", valued: "cn", long: list("bytes= lines= quiet silent verbose") }],
  ["wc", { flags: "cmlLw", long: list("bytes chars lines max-line-length words") }],
  [
    "cut",
    {
      flags: "nsz",
      valued: "bcdf",
      texts: "bcdf",
      long: list("bytes= characters= delimiter= fields= complement only-delimited output-delimiter="),
    },
  ],
  ["tr", { flags: "cCdst", words: "text", long: list("complement delete squeeze-repeats truncate-set1") }],
  ["uniq", { flags: "cdDiuz", valued: "fsw", maxWords: 1, long: list("count repeated ignore-case unique") }],
  ["rev", {}],
  ["fold", { flags: "bs", valued: "w" }],
  ["paste", { flags: "sz", valued: "d" }],
  ["comm", { flags: "123z" }],
  ["cmp", { flags: "bls", valued: "in", maxWords: 2 }],
  [
    "diff",
    {
      flags: "abBcdeEiNpqstuwyZ",
      valued: "CIUW",
      maxWords: 2,
      opensFolders: true,
      long: list(
        "brief unified unified= context context= side-by-side ignore-case ignore-space-change ignore-all-space ignore-blank-lines text color color= width=",
      ),
    },
  ],
  ["stat", { flags: "fLt", valued: "c", long: list("format= printf= dereference terse") }],
  [
    "du",
    {
      flags: "0abchHkmsSx",
      valued: "dt",
      long: list("all apparent-size bytes total human-readable max-depth= summarize threshold= exclude="),
    },
  ],
  ["basename", { flags: "az", valued: "s", words: "text" }],
  ["dirname", { flags: "z", words: "text" }],
  ["realpath", { flags: "eLmPqsz" }],
  ["readlink", { flags: "efmnqsvz" }],
  ["which", { flags: "a", words: "text" }],
  ["whoami", { maxWords: 0 }],
  ["id", { flags: "agGnruz", words: "text" }],
  ["uname", { flags: "asnrvmpio", maxWords: 0 }],
  ["nproc", { long: ["all"], maxWords: 0 }],
  ["arch", { maxWords: 0 }],
  ["date", { flags: "uR", words: "text", like: /^\+/, maxWords: 1 }],
  ["node", { flags: "v", long: ["version"], maxWords: 0, needsOption: true }],
  ["npm", { flags: "v", long: ["version"], maxWords: 0, needsOption: true, runBy: "node", obeys: [".npmrc"] }],
  ["tsc", { flags: "v", long: ["version"], maxWords: 0, needsOption: true, runBy: "node" }],
  ["python3", { flags: "V", long: ["version"], maxWords: 0, needsOption: true }],
  ["hostname", { maxWords: 0 }],
  ["uptime", { flags: "ps", maxWords: 0 }],
  ["df", { flags: "ahHiklPT" }],
  ["type", { flags: "aptP", words: "text", isBuiltIn: true }],
  ["expr", { takesAnything: true }],
  ["numfmt", { words: "text", long: list("from= to= suffix= padding= format= round= grouping") }],
  ["seq", { flags: "w", valued: "fs", words: "text" }],
  ["sleep", { words: "text" }],
  ["cksum", {}],
  ["md5sum", { flags: "bt" }],
  ["sha1sum", { flags: "bt" }],
  ["sha256sum", { flags: "bt" }],
  ["sha512sum", { flags: "bt" }],
  ["od", { flags: "abcdfiloxsv", valued: "AjNSt" }],
  ["hexdump", { flags: "bcCdovx", valued: "ns" }],
  // Prints lines by number. All other commands of sed can write or run something.
  ["sed", { flags: "n", words: "pattern", like: /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?[pqd=](?:;|$))+$/ }],
  ["file", { flags: "bi", long: list("brief mime mime-type mime-encoding") }],
  ["base64", { flags: "di", valued: "w", long: list("decode wrap="), maxWords: 1 }],
  [
    "grep",
    {
      flags: "abcEFGhHiIlLnoPqrsTvwxyzZ0123456789",
      valued: "ABCdefm",
      words: "pattern",
      searches: /(?:^|\s)-(?:\w*r|-recursive)|recurse/,
      look: "grep",
      long: list(
        "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case invert-match word-regexp line-regexp count color color= colour colour= files-without-match files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= context= text binary-files= exclude= exclude-dir= include= recursive",
      ),
    },
  ],
  [
    "rg",
    {
      flags: "acFHhiIlnNoPpqSsUuvwx0",
      valued: "ABCefgmMrtT",
      words: "pattern",
      searches: /^/,
      look: "ripgrep",
      long: list(
        "after-context= before-context= case-sensitive color= colors= column context= count count-matches crlf no-config debug files files-with-matches files-without-match fixed-strings glob= heading no-heading hidden ignore-case iglob= invert-match json line-number no-line-number line-regexp max-columns= max-count= max-depth= max-filesize= multiline multiline-dotall no-filename no-ignore no-ignore-vcs null only-matching passthru pcre2 pretty quiet regexp= replace= smart-case sort= sortr= stats text trim type= type-not= type-list unrestricted vimgrep with-filename word-regexp",
      ),
    },
  ],
  [
    "find",
    {
      flags: "HP",
      whole: list(
        "-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -atime= -amin= -ctime= -cmin= -newer= -empty -not -a -o -and -or -print -print0 -prune -perm= -user= -group= -readable -writable -executable -printf= ! ( ) -true -false -ls -depth -mount -xdev -quit",
      ),
    },
  ],
  // Without merging, which may write a temporary file.
  [
    "sort",
    {
      flags: "bcCdfghiMnRrsuVz",
      valued: "kt",
      long: list(
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort random-sort reverse version-sort check key= stable field-separator= unique zero-terminated",
      ),
    },
  ],
  [
    "tree",
    {
      flags: "adfiqNQpsuhgDFvtcUrnCASJXx",
      valued: "LPI",
      long: list("noreport dirsfirst filelimit= prune gitignore inodes device du si matchdirs ignore-case sort="),
    },
  ],
]);
