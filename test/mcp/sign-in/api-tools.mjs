// Tools of one's own over the API of the bank, as a program writes them. `tool` is the function of the sources or of the package.

export function apiTools(tool, api, url) {
  return ["whoami", "pay", "leak"].map((name) =>
    tool({
      name: `bank__${name}`,
      description: `Does ${name} at the bank.`,
      input: { type: "object", properties: {} },
      effect: "network",
      readsOutside: true,
      asks: api.asks,
      async run(_input, context) {
        const answer = await api.fetchFor(context)(`${url}/${name}`, { method: "POST", body: "{}" });
        if (!answer.ok) throw new Error(`The bank answered ${String(answer.status)}.`);
        return answer.text();
      },
    }),
  );
}
