// A runtime without files has no files of the studio.

/** There is no such file here. */
export function studioText(_file: string): Promise<undefined> {
  return Promise.resolve(undefined);
}

/** The words for a program without the files. */
export const withoutFiles = "The studio and its pages are not made by this runtime. Make them on Node.";
