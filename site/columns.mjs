// Widths of the columns of tables: a column of sentences gets room, and a column of short words is not broken.

/** The least width of a column whose longest cell has so many characters. A wider table is scrolled. */
export function widthOf(characters) {
  if (characters <= 18) return `${(characters * 0.56 + 0.6).toFixed(1)}em`;
  return characters <= 60 ? "9em" : "17em";
}

/** A plug-in of Astro's Markdown. */
export const columns = {
  name: "lastcall-columns",
  element: {
    filter: ["table"],
    visit(table, context) {
      const rows = table.children.flatMap((part) => part.children ?? []).filter(({ tagName }) => tagName === "tr");
      const cells = rows.map((row) => row.children.filter(({ tagName }) => tagName === "th" || tagName === "td"));
      for (const [column, head] of (cells[0] ?? []).entries()) {
        const longest = Math.max(...cells.map((row) => context.textContent(row[column] ?? head).length));
        context.setProperty(head, "style", `min-width: ${widthOf(longest)}`);
      }
    },
  },
};
