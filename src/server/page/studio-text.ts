// The files that the build made for the studio, and for pages of one session.

/** The bytes of a file of the studio; undefined if the files are not beside this program. */
export async function studioText(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // A server without files, as on an edge network, serves all but the studio.
  const { readFile } = await import("node:fs/promises");
  try {
    return new Uint8Array(await readFile(new URL(addressOf(file))));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    return undefined;
  }
}

/** The words for a program without the files. */
export const withoutFiles =
  'The files of the studio are not beside this program: keep the package lastcall out of the bundle (Next: serverExternalPackages: ["lastcall"]).';

/**
 * The address of a file, seen from `dist/chunks` and from `src/server/page`. It is put together from texts: a bundler takes
 * `new URL("a file", import.meta.url)` for a file of the program, and fails to find it.
 */
function addressOf(file: string): string {
  const here = import.meta.url;
  const folder = here.slice(0, here.lastIndexOf("/") + 1);
  return `${folder}${folder.endsWith("/src/server/page/") ? "../../../dist" : ".."}/studio/${file}`;
}
