/** The folder of the programs. Default: `lastcall-runtimes` in the user's cache folder. */
export function cacheFolder(folder?: string): string;

/** The path of the program of a runtime; undefined if it is not there and `isOffline`. */
export function bring(
  runtime: string,
  folder: string,
  options?: { readonly isOffline?: boolean; readonly say?: (line: string) => void },
): string | undefined;

/** The folder with the packages of servers that others wrote; undefined if it is not there and `isOffline`. */
export function bringServers(
  folder: string,
  options?: { readonly isOffline?: boolean; readonly say?: (line: string) => void },
): string | undefined;

/** The frameworks whose apps are built before they serve, with their packages. */
export const frameworks: Readonly<Record<"Next" | "Nitro 2" | "Nitro 3", readonly string[]>>;

/** The folder with the packages of a framework; undefined if it is not there and `isOffline`. */
export function bringFramework(
  name: keyof typeof frameworks,
  folder: string,
  options?: { readonly isOffline?: boolean; readonly say?: (line: string) => void },
): string | undefined;
