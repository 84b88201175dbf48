/** The text of docs/README.md. */
export function allPages(): string;
