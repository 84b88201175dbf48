// Keys and tokens of several parts, each with the source of its shape.

import { isRandom } from "./assignment.js";
import { after, format, judged } from "./build-format.js";
import type { Format } from "./format.js";
import { characters, isOf, notBefore, oneOf, optional, run, sequence, words } from "./match.js";
import { restOf } from "./rest.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const digit = characters(/\d/);
const base64 = characters(/[A-Za-z0-9+/=]/);
const blanks = run(characters(/[ \t]/), 0, 4);
const quote = optional(oneOf(words('\\"'), words('"'), words("'")));

/** The key of a user of Kubernetes, in base64. Source: Kubernetes' documentation of kubeconfig. */
const kubeNames = ["client-key-data"];
const kubeKey: Format = {
  ...format("private key", kubeNames, words("")),
  match: after(
    sequence(words("client-key-data"), quote, blanks, words(":"), blanks, quote),
    run(base64, 40),
    restOf(base64),
  ),
};

/** The secret part of a webhook's address. Source: trufflehog, discordwebhook. */
const webhookHosts = ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"];
const discordWebhook: Format = {
  ...format("token", webhookHosts, words("")),
  match: after(
    sequence(oneOf(...webhookHosts.map((host) => words(host))), run(digit, 17, 20), words("/")),
    run(word, 60),
    restOf(word),
  ),
};

/** Source: trufflehog, pinecone. */
const pinecone = format(
  "key",
  ["pcsk_"],
  sequence(words("pcsk_"), run(alphanumeric, 4, 12), words("_"), run(alphanumeric, 40)),
  restOf(alphanumeric),
);

/** Source: gitleaks, airtable-personnal-access-token. */
const airtable = format(
  "token",
  ["pat"],
  sequence(words("pat"), run(alphanumeric, 14), words("."), run(characters(/[0-9a-f]/), 64), notBefore(word)),
);

/** Source: Resend's documentation of API keys. Its second part has letters of both cases and digits, which names have not. */
const resend = judged(
  format(
    "key",
    ["re_"],
    sequence(words("re_"), run(alphanumeric, 8), words("_"), run(alphanumeric, 24), notBefore(word)),
  ),
  (value) => /\d/.test(value) && /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value.slice(12)),
);

/** A token of a GitHub App whose second part is a JSON Web Token. Source: GitHub's notice of longer installation tokens. */
const githubApp = format(
  "token",
  ["ghs_"],
  sequence(words("ghs_"), run(alphanumeric, 1, 20), words("_eyJ"), run(word, 16)),
  restOf(characters(/[\w.-]/)),
);

/**
 * A token of a Discord bot: the number of the bot in base64, a time, a signature, which looks random. Source: Discord's documentation of
 * authentication; trufflehog, discordbottoken.
 */
const botStarts = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
const botBegin = oneOf(...botStarts.map((start) => words(start)));
const botRest = sequence(run(alphanumeric, 20, 28), words("."), run(word, 6), words("."));
const botSignature = sequence(run(word, 27, 40), notBefore(word));
const discordBot: Format = judged(
  {
    ...format("token", botStarts, sequence(botBegin, botRest, botSignature)),
    mayFollow: (before) => !isOf(word, before),
  },
  (value) => /\d/.test(value) && isRandom(value.slice(value.lastIndexOf(".") + 1), 27),
);

/** All formats with a vendor's shape. */
export const vendorShapes: readonly Format[] = [
  kubeKey,
  discordWebhook,
  pinecone,
  airtable,
  resend,
  githubApp,
  discordBot,
];
