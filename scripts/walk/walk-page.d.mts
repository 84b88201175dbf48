/**
 * Walks the page from an empty folder. `run(folder, lines)` runs lines as a shell. If `runsTypeScript`, the program is also run as it is.
 * Returns what is not as the page says, and the folder in which the walk ended.
 */
export function walkPage(
  page: string,
  settings: {
    readonly folder: string;
    readonly run: (folder: string, lines: string) => Promise<{ readonly stdout: string; readonly stderr: string }>;
    readonly runsTypeScript: boolean;
  },
): Promise<{ readonly problems: readonly string[]; readonly folder: string }>;
