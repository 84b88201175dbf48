/** The text of the page, as the formatter writes it. */
export function optionsPage(root: string): Promise<string>;
