export function firstProgram(): string;
export function falseCompletions(): {
  readonly tasks: string;
  readonly rows: readonly { readonly name: string; readonly figures: readonly string[] }[];
};
export function kills(): readonly { readonly broken: string; readonly times: string }[];
export function demo(): readonly { readonly line: string; readonly kind: string }[];
export function claims(): readonly { readonly iteration: string; readonly words: string; readonly kind: string }[];
