// What a search engine is asked and what it finds: the two there are find the same.

/** What is searched for, and where. */
export interface Search {
  readonly root: string;
  /** The real path of the file or folder that is searched. */
  readonly start: string;
  readonly isFile: boolean;
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** Lines shown before and after each that matches. */
  readonly context: number;
  /** True for a file, by its path from the root, that is searched. */
  isSought(path: string): Promise<boolean>;
  /** True for a folder that is entered. */
  isEntered(path: string): Promise<boolean>;
  /** A pattern of names alone, so simple that everybody reads it the same. */
  readonly nameGlob: string | undefined;
  /** False where files of rules for git have no say. */
  readonly obeysGit: boolean;
  /** Aborts when the call does, or the search's time is up. */
  readonly signal: AbortSignal;
}

/** A line that matches, or one near it. */
export interface FoundLine {
  /** From the root, with slashes. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Where in the text the match begins; undefined for a line that is only near one. */
  readonly at: number | undefined;
}

/** The same in order of paths and lines. Whoever has enough leaves; it is then stopped. Throws where it can't read the pattern. */
export type SearchEngine = (search: Search) => AsyncGenerator<FoundLine, void, void>;

/** Larger files are not searched. */
export const mostSearched: number = 10 * 1024 * 1024;

/** A pattern that an engine can't read. */
export class UnreadablePattern extends Error {}
