// The places of keys and of other users' files, which no sandbox shows.

import { join } from "node:path";
import { homeFolders } from "./home-folder.js";

/**
 * Folders with files of other users, and with sockets: a read-only file system does not prevent connections to sockets.
 * bubblewrap has its own, the other sandboxes close them.
 */
export const privateFolders: readonly string[] = ["/tmp", "/var/tmp", "/run", "/var/run"];

/** The usual places of keys and other secrets in the home folder. They are hidden even if the home folder is shown. */
const names: readonly string[] = [
  ...[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".oci", ".password-store", ".mozilla", ".terraform.d"],
  ...[".config/gh", ".config/hub", ".config/glab-cli", ".config/gcloud", ".config/op", ".config/doctl", ".config/sops"],
  ...[".config/google-chrome", ".config/chromium", ".config/git/credentials", ".local/share/keyrings"],
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".git-credentials", ".pypirc", ".pgpass", ".my.cnf", ".vault-token"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".hex/hex.config"],
  ...[".sbt/.credentials", ".sbt/credentials", ".ivy2/.credentials", ".ivy2/credentials", ".nvm/.npmrc"],
  ...[".pub-cache/credentials.json", ".julia/servers", ".local/share/uv/credentials", ".swiftpm/security"],
  ...[".dotnet/corefx/cryptography/x509stores", ".npm/_logs"],
  ...[
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".config/github-copilot",
    ".local/share/opencode",
    ".config/openai",
  ],
  ...[".config/lastcall", ".local/state/lastcall", ".huggingface", ".cache/huggingface/token", ".kaggle", ".s3cfg"],
  ...[".boto", ".databrickscfg", ".config/rclone", ".config/heroku", ".fly", ".config/hcloud", ".composer/auth.json"],
  ...[".gradle/gradle.properties", ".terraformrc", ".config/helm", ".minikube", ".config/configstore", ".bitcoin"],
  ...[".config/solana", ".config/Signal", ".config/1Password", ".config/BraveSoftware", ".thunderbird", ".env"],
  ...[".zhistory", ".local/share/fish", ".lesshst", ".rediscli_history", ".ipython", ".docker/config.json"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
  ...[".pulumi/credentials.json", ".ivy2/.sbtcredentials", ".cache/puppeteer/profile", ".vault_pass", ".edgerc"],
  ...[".config/containers/auth.json", ".config/age", ".config/netlify", ".config/stripe", ".config/ngrok"],
  ...["Library/Keychains", "Library/Cookies", "Library/Mail", "Library/Messages", "Library/Safari"],
  ...["Library/Application Support/Google/Chrome", "Library/Application Support/Firefox"],
];

/** Files of the system with keys, which root could read. */
export const systemSecrets: readonly string[] = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/shadow-",
  "/etc/gshadow-",
  "/etc/ssl/private",
  ...["rsa", "ecdsa", "ed25519", "dsa"].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
  ...["/etc/wireguard", "/etc/openvpn", "/etc/letsencrypt", "/etc/NetworkManager/system-connections"],
  ...["/etc/krb5.keytab", "/etc/kubernetes", "/var/lib/kubelet", "/var/backups"],
];

/** The usual places of keys in each home folder, as paths. They may be missing. */
export async function keyPlaces(): Promise<readonly string[]> {
  return (await homeFolders()).flatMap((home) => names.map((name) => join(home, name)));
}
