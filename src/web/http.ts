// The part of node:http that the sources use: the rules for headers.

export function validateHeaderName(name: string): void {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) throw new TypeError("The name can't be sent.");
}

export function validateHeaderValue(_name: string, value: string): void {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw new TypeError("The value can't be sent.");
}
