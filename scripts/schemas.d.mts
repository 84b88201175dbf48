/** The schemas by the names of their files, as texts. */
export function schemaFiles(): Promise<Readonly<Record<string, string>>>;
