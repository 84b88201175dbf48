export function pagesOf(): readonly string[];
