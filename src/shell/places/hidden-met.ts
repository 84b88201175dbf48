// Tells which of the files that were empty for a failed command it has probably missed.

import { basename, dirname } from "node:path";

/** Programs that read files nobody names, and the ends of these files' paths. */
const readers: readonly { readonly program: RegExp; readonly file: RegExp }[] = [
  { program: /\b(?:npm|npx|pnpm|yarn|bun|node)\b/, file: /\.npmrc$|\.yarnrc(?:\.yml)?$|bunfig\.toml$/ },
  {
    program:
      /\b(?:docker|docker-compose|podman|vite|next|nuxt|astro|artisan|manage\.py|foreman|heroku|wrangler|prisma|drizzle-kit|flask|dotenv)\b/,
    file: /(?:^|\/)\.env[^/]*$|\.dev\.vars[^/]*$|\.docker\/config\.json$/,
  },
  {
    program: /\b(?:gradle|gradlew|mvn|mvnw|java|sbt|kotlin)\b/,
    file: /\.properties$|settings\.xml$|application[^/]*\.ya?ml$|google-services\.json$|\.(?:jks|keystore)$/,
  },
  { program: /\b(?:dotnet|msbuild|nuget|func)\b/, file: /appsettings[^/]*\.json$|\.config$|\.snk$|settings\.json$/i },
  { program: /\b(?:cargo|rustc)\b/, file: /\.cargo\/config(?:\.toml)?$/ },
  { program: /\b(?:terraform|tofu|terragrunt)\b/, file: /\.tfvars(?:\.json)?$|\.tfstate[^/]*$|\.terraformrc$/ },
  {
    program: /\b(?:pip3?|uv|poetry|conda|python3?|pytest|tox)\b/,
    file: /pip\.(?:conf|ini)$|uv\.toml$|\.condarc$|\.pypirc$|(?:^|\/)\.env[^/]*$/,
  },
  {
    program: /\b(?:bundle|rake|rails|ruby|rspec)\b/,
    file: /\.bundle\/config$|database\.yml$|secrets\.yml$|\.key$|\.enc$/,
  },
  { program: /\b(?:composer|php|phpunit)\b/, file: /auth\.json$|(?:^|\/)\.env[^/]*$|wp-config\.php$/ },
  { program: /\bgit\b/, file: /\.gitconfig$|\.git\/config$|\.config\/git\/config$/ },
  { program: /\b(?:kubectl|helm|kustomize)\b/, file: /kubeconfig|\.kube\/config$|secrets?\.ya?ml$/ },
  { program: /\b(?:ansible|ansible-playbook|ansible-vault)\b/, file: /vault[^/]*$/ },
];

/** Words of programs that miss a key or a value. */
const missed =
  /private key|PEM|certificate|keystore|credential|secret|password|token|not (?:set|found|configured)|missing|required|undefined|empty|unexpected end|parse|invalid/i;

/** The most files that are told. */
const most = 5;

/**
 * The files that a failed command has probably missed, among the files that were empty for it: first the files that it or its output
 * names, then the files that its programs read by themselves.
 */
export function hiddenMet(command: string, output: string, hidden: readonly string[]): readonly string[] {
  const text = `${command}\n${output}`;
  const named = hidden.filter((path) => names(text, path));
  const read = missed.test(output)
    ? hidden.filter((path) => readers.some(({ program, file }) => program.test(command) && file.test(path)))
    : [];
  return [...new Set([...named, ...read])].slice(0, most);
}

/** True if the text has the name of the file, or of the folder of secrets around it, as a whole word. */
function names(text: string, path: string): boolean {
  const name = basename(path);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = " ", after = " "] = [text[at - 1], text[at + name.length]];
    const isWord = !/[\w.-]/.test(before) && !/[\w-]/.test(after);
    // A plain word, such as `token`, counts with its folder alone.
    if (isWord && (/[._]/.test(name) || text.includes(`${basename(dirname(path))}/${name}`))) return true;
  }
  return false;
}
