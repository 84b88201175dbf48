/** The text of docs/README.md, from llms.txt. */
export function allPages(): string;
