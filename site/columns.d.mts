/** The part of a context of Astro's Markdown that the plug-in uses. */
interface Context {
  textContent(node: unknown): string;
  setProperty(node: unknown, key: string, value: unknown): void;
}
export function widthOf(characters: number, isLongest: boolean): number;
export const columns: {
  readonly name: string;
  readonly element: { readonly filter: readonly string[]; visit(table: unknown, context: Context): void };
};
