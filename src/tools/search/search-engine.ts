// The port of search engines. Both engines find the same lines.

/** The query of a search. */
export interface Search {
  readonly root: string;
  /** The real path of the file or folder to search. */
  readonly start: string;
  readonly isFile: boolean;
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** Lines shown before and after each matching line. */
  readonly context: number;
  /** True if the file, given by its path from the root, is searched. */
  isSought(path: string): Promise<boolean>;
  /** True if the folder, given by its path from the root, is entered. */
  isEntered(path: string): Promise<boolean>;
  /** A pattern for names alone, simple enough that all engines read it the same; undefined if there is none. */
  readonly nameGlob: string | undefined;
  /** Aborts when the call aborts, or when the time of the search is up. */
  readonly signal: AbortSignal;
}

/** A matching line, or a line near one. */
export interface FoundLine {
  /** From the root, with slashes. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The index of the match in the text; undefined if the line is only near a match. */
  readonly at: number | undefined;
}

/**
 * Finds lines in order of paths and numbers. A caller that has enough ends the iteration, which stops the search.
 * @throws UnreadablePattern if the engine can't read the pattern.
 */
export type SearchEngine = (search: Search) => AsyncGenerator<FoundLine, void, void>;

/** Files with more bytes are not searched. */
export const maxSearchedBytes: number = 10 * 1024 * 1024;

/** Thrown for a pattern that an engine can't read. */
export class UnreadablePattern extends Error {}
