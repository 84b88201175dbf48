// The columns of tables: a column of sentences gets room, a column of short words is not broken, and a phone shows rows as lists.

/** A cell with more characters than this has sentences. */
const sentence = 60;

/** The least width of a column whose longest cell has so many characters, in the size of its letters. */
export function widthOf(characters, isLongest) {
  if (characters <= 18) return Math.round(characters * 5.6 + 6) / 10;
  return characters > sentence && isLongest ? 17 : 9;
}

/** A table that needs more than this is scrolled on a large screen. */
const page = 44;

/** A plug-in of Astro's Markdown. */
export const columns = {
  name: "lastcall-columns",
  element: {
    filter: ["table"],
    visit(table, context) {
      const rows = table.children.flatMap((part) => part.children ?? []).filter(({ tagName }) => tagName === "tr");
      const cells = rows.map((row) => row.children.filter(({ tagName }) => tagName === "th" || tagName === "td"));
      const lengthOf = (cell) => (cell === undefined ? 0 : context.textContent(cell).length);
      const heads = cells[0] ?? [];
      const lengths = heads.map((_head, column) => Math.max(...cells.map((row) => lengthOf(row[column]))));
      const longest = Math.max(...lengths);
      const widths = lengths.map((length) => widthOf(length, length === longest));
      for (const [column, head] of heads.entries())
        context.setProperty(head, "style", `min-width: ${widths[column]}em`);
      /** With the space around each cell, and heads, which are not broken. */
      const needed = heads.map((head, column) => 1.6 + Math.max(widths[column], lengthOf(head) * 0.45));
      // Somebody without a mouse has to reach what is scrolled.
      if (needed.reduce((sum, width) => sum + width, 0) > page) context.setProperty(table, "tabIndex", 0);
      if (heads.length < 3 || longest <= sentence) return;
      context.setProperty(table, "class", "stacked");
      for (const [column, head] of heads.entries()) {
        const words = context.textContent(head).trim();
        for (const row of cells.slice(1)) if (row[column]) context.setProperty(row[column], "data-head", words);
      }
    },
  },
};
