// The form of the tables of programs whose arguments are known.

/**
 * The arguments with which a program does no more than its table allows: it only reads and prints, or it makes the plain changes of
 * `plainChanges`. Any other argument is unknown.
 */
export interface SafeProgram {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with a value, in the same word or the next word. */
  readonly valued?: string;
  /** Long options, without the dashes. An option that ends with `=` has a value. */
  readonly long?: readonly string[];
  /** Options of several letters after a single dash. An option that ends with `=` has a value. */
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
  /** Long options with two values, which are the next two words. The second value of a `path` is a path. */
  readonly pairs?: Readonly<Record<string, "text" | "path">>;
  /** Short options whose value is never a path. */
  readonly texts?: string;
  /** The options that must be there if there are any words besides options. Default: none. */
  readonly wordsNeed?: readonly string[];
  /** True if it has to have an option. Without any, the program runs what its input says. */
  readonly needsOption?: true;
  /** The form of values of options with which the program does more. Default: no form. */
  readonly refuses?: RegExp;
  /** True if it certainly takes options after the first other word. Default: these are looked at as paths as well. */
  readonly takesLateOptions?: true;
  /** Sorts the words of a program that has no options of this kind: the paths that it reads, or undefined. */
  readonly reads?: (words: readonly string[]) => readonly string[] | undefined;
  /** A program that runs this program, and must be outside the workspace as well. */
  readonly runBy?: string;
  /**
   * Files by which the program is told to do more: in its folder, in the folders above up to the root, and in a home folder in the
   * workspace.
   */
  readonly obeys?: readonly string[];
  /** Files by which it is told which version runs: in its folder and in all folders above. */
  readonly chosenBy?: readonly string[];
  /** The names of variables that make it do more, if its tool sets them. */
  readonly heeds?: RegExp;
  /** True if it starts programs by their names: then no folder of `PATH` may be in the workspace. */
  readonly startsOthers?: true;
  /** Says which files the program prints although nobody names them. Default: none. */
  readonly look?: "grep" | "ripgrep";
  /** True if the program, given a folder, opens files that nobody names, also through links. */
  readonly opensFolders?: true;
  /** True if the program only prints its arguments, whatever they are. */
  readonly takesAnything?: true;
  /** True if the program is built into the shell, so that no file is looked up. */
  readonly isBuiltIn?: true;
}
