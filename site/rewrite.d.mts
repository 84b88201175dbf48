export function withLinks(text: string, file: string, addressOf: (target: string, from: string) => string): string;
export function titled(text: string): { readonly title: string; readonly number?: number; readonly body: string };
export function summaryOf(body: string): string;
export function plain(markdown: string): string;
