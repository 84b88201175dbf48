// A bank for the examples outside the browser. In the playground the page has the bank, which outlives the worker.

/** The payments by key. */
const payments = new Map();
let requests = 0;

export const bank = {
  /** Pays, unless a payment with this key was made before. */
  async pay({ key, to, cents }) {
    requests += 1;
    const known = payments.has(key);
    if (!known) payments.set(key, { to, cents });
    return `${known ? "was paid before: " : "paid: "}${(cents / 100).toFixed(2)} EUR to ${to}`;
  },
  /** The payments, and the number of requests. */
  async books() {
    return { payments: [...payments.values()], requests };
  },
};
