// Calculates `$((1 + 2))` as every shell does.

/** The largest number that is calculated: every shell and this program have the same result. */
const most = 2 ** 31;

/** The length of the text from the first parenthesis on, and the digits that a shell puts in its place. */
export interface Sum {
  readonly length: number;
  readonly value: string;
}

/**
 * Reads `((1 + 2))` at the beginning of a text: whole numbers of up to nine digits with `+`, `-`, `*`, `/` and `%` between them. Undefined
 * for anything more, for numbers that begin with a zero, and for a result that is negative or very large.
 */
export function sumIn(text: string): Sum | undefined {
  const [whole, inner = ""] = /^\(\(([ 0-9+*/%-]*)\)\)/.exec(text) ?? [];
  const number = "(?:0|[1-9]\\d{0,8})";
  if (whole === undefined || !new RegExp(`^ *${number}(?: *[-+*/%] *${number})* *$`).test(inner)) return undefined;
  const tokens = inner.match(/\d+|[-+*/%]/g) ?? [];
  let sum = 0;
  let product = Number(tokens[0]);
  let sign = 1;
  for (let at = 1; at < tokens.length; at += 2) {
    const next = Number(tokens[at + 1]);
    const operator = tokens[at];
    if (operator === "*") product *= next;
    else if (operator === "/") product = Math.trunc(product / next);
    else if (operator === "%") product %= next;
    else {
      sum += sign * product;
      sign = operator === "+" ? 1 : -1;
      product = next;
    }
    if (!(Math.abs(product) < most) || !(Math.abs(sum) < most)) return undefined;
  }
  const result = sum + sign * product;
  return result >= 0 && result < most ? { length: whole.length, value: String(result) } : undefined;
}
