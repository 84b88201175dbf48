// The programs that only read files and print, with their harmless options; and the programs that no prefix rule covers.

/** The arguments with which a program only reads and prints. */
export interface SafeProgram {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with a value, in the same word or the next one. */
  readonly valued?: string;
  /** Long options, without the dashes. An option that ends with `=` has a value. */
  readonly long?: readonly string[];
  /** Options of several letters after a single dash. One that ends with `=` has a value. */
  readonly whole?: readonly string[];
  /**
   * The meaning of the words that are not options: paths, a pattern followed by paths, or text that is never opened.
   * Default: paths.
   */
  readonly words?: "paths" | "pattern" | "text";
  /** The form that those words, or else the pattern, must have. Default: any form. */
  readonly like?: RegExp;
  /**
   * The form of the arguments with which the program prints the content of files that they do not name. Default: it
   * never does.
   */
  readonly searches?: RegExp;
  /** The limit of those words. Default: no limit. */
  readonly maxWords?: number;
  /** True if the program, given a folder, opens files that nobody names, also through links. */
  readonly opensFolders?: true;
  /** True if the program only prints its arguments, whatever they are. */
  readonly takesAnything?: true;
  /** True if the program is built into the shell, so that no file is looked up. */
  readonly isBuiltIn?: true;
}

const list = (names: string): readonly string[] => names.split(" ");

/** By name. Every other program needs a rule or an approval. */
export const safePrograms: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ["pwd", { flags: "LP", isBuiltIn: true }],
  ["echo", { takesAnything: true, isBuiltIn: true }],
  ["printf", { words: "text", isBuiltIn: true }],
  ["true", { takesAnything: true, isBuiltIn: true }],
  ["false", { takesAnything: true, isBuiltIn: true }],
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
  ["tac", {}],
  ["nl", { flags: "p", valued: "bdfhilnsvw" }],
  ["head", { flags: "qvz0123456789", valued: "cn", long: list("bytes= lines= quiet silent verbose") }],
  ["tail", { flags: "qvz0123456789", valued: "cn", long: list("bytes= lines= quiet silent verbose") }],
  ["wc", { flags: "cmlLw", long: list("bytes chars lines max-line-length words") }],
  [
    "cut",
    {
      flags: "nsz",
      valued: "bcdf",
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
  ["node", { flags: "v", long: ["version"], maxWords: 0 }],
  ["python3", { flags: "V", long: ["version"], maxWords: 0 }],
  ["git", { flags: "v", long: ["version"], maxWords: 0 }],
  ["hostname", { maxWords: 0 }],
  ["uptime", { flags: "ps", maxWords: 0 }],
  ["df", { flags: "ahHiklPT" }],
  ["type", { words: "text", isBuiltIn: true }],
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
        "-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -atime= -amin= -ctime= -cmin= -newer= -empty -not -a -o -and -or -print -print0 -prune -perm= -user= -group= -readable -writable -executable -true -false -ls -depth -mount -xdev -quit",
      ),
    },
  ],
  [
    "sort",
    {
      flags: "bcCdfghiMmnRrsuVz",
      valued: "kt",
      long: list(
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort random-sort reverse version-sort check key= merge stable field-separator= unique zero-terminated",
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

/**
 * Programs whose arguments are programs, or that can be made to run one, to write or to send. No prefix of such a
 * command says what it does.
 */
export const unbounded: ReadonlySet<string> = new Set([
  ...list("sh bash dash zsh ksh mksh csh tcsh fish ash busybox toybox rbash pwsh powershell cmd"),
  ...list(
    "python python2 python3 pypy pypy3 node nodejs deno bun tsx ts-node ruby irb perl php lua luajit Rscript R julia java jshell groovy scala kotlin swift osascript tclsh expect gdb lldb ghci elixir iex erl awk gawk mawk nawk sed gsed ed ex jq yq bc dc m4 sqlite3 psql mysql",
  ),
  ...list(
    "make gmake cmake ninja meson bazel gradle gradlew mvn mvnw ant rake just task npm npx pnpm pnpx yarn bunx corepack pip pip3 pipx uv uvx poetry hatch tox nox cargo rustc go dotnet composer bundle gem mix stack cabal nix nix-shell conda gcc g++ cc clang tsc vitest jest pytest mocha ava eslint prettier webpack vite rollup esbuild turbo nx lerna rush nodemon pm2 node-gyp sbt bazelisk ctest pipenv pdm rye mise asdf nvm volta direnv dotenv cross-env concurrently pre-commit husky",
  ),
  ...list(
    "fd fdfind ag ack split csplit shuf xxd iconv openssl gpg gpg2 zgrep zcat gzip gunzip bzip2 xz zstd pandoc convert magick ffmpeg mail sendmail mutt logger wall journalctl dmesg ip ifconfig iptables tcpdump pg_dump mysqldump redis-cli mongo mongosh aws gcloud az date hostname sysctl kill pkill killall shutdown reboot printenv ps top htop",
  ),
  ...list(
    "docker podman nerdctl kubectl helm terraform ansible ansible-playbook vagrant brew apt apt-get dnf yum apk pacman snap code cursor claude codex gemini getent traceroute lynx w3m rclone gsutil s3cmd drill resolvectl",
  ),
  ...list(
    "runcon chrt taskset numactl setarch pkexec systemd-run dbus-run-session xvfb-run rlwrap unbuffer proot fakeroot entr let read mapfile readarray history fc hash enable bind complete shopt",
  ),
  ...list(
    "env xargs parallel sudo doas su runuser nice ionice nohup setsid timeout time stdbuf script unshare nsenter chroot bwrap firejail flock watch strace ltrace eval exec source . command builtin export declare typeset local readonly set unset alias trap ulimit help man info less more most pager vi vim nvim nano emacs ssh scp sftp rsync telnet nc ncat netcat socat curl wget http https aria2c ftp ping dig nslookup host whois git hg svn tar zip unzip 7z cpio ar install dd tee truncate ln cp mv rm chmod chown mount crontab at batch systemctl launchctl open xdg-open start tmux screen test [",
  ),
]);
