// The kinds of files that hold keys, passwords and tokens: their usual names, and the programs that write or read them.

/** Files that are likely to hold secrets, for one reason. */
export interface SecretKind {
  /** The kind, in words for a person. */
  readonly kind: string;
  /** The programs whose documentation gives these names. */
  readonly source: string;
  /**
   * `name`: a file of these names is a secret. `content`: it is one unless its content is understood and harmless. `folder`: a folder of
   * these names is one, with all that is in it.
   */
  readonly by: "name" | "content" | "folder";
  /** Names, or the ends of paths. In lower case; `*` is any part of a name. */
  readonly names: readonly string[];
}

/** All kinds. The first kind that has a name counts. */
export const secretKinds: readonly SecretKind[] = [
  {
    kind: "environment files",
    source: "dotenv, Docker Compose, Vite, Next.js, Wrangler, Firebase",
    by: "name",
    names: [
      ...[".env", ".env.*", ".env-*", ".env_*", "*.env", "env.local", "env.prod", "env.production", "env.staging"],
      ...["env.development", "env.secret", ".flaskenv", ".dev.vars", ".dev.vars.*", ".secret.local", ".prod.vars"],
    ],
  },
  {
    kind: "scripts that set an environment",
    source: "direnv",
    by: "content",
    names: [".envrc", ".envrc.*", "env.sh", "setenv.sh", "secrets.sh", "credentials.sh"],
  },
  {
    kind: "private keys and their stores",
    source: "OpenSSH, GnuPG, PuTTY, Java, Android, Apple, Rails, WireGuard, age, .NET",
    by: "name",
    names: [
      ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"],
      ...["*_rsa", "*_ecdsa", "*_ed25519", "ssh_host_*_key", "*.p12", "*.pfx", "*.p8", "*.pk8", "*.ppk", "*.jks"],
      ...["*.keystore", "*.bks", "*.kdb", "*.kdbx", "*.snk", "*.pvk", "*.agekey", "*.wgkey", "secring.*", "wallet.dat"],
      ...["*.agilekeychain", "*.keychain", "*.keychain-db", "*.private", "private_key", "privatekey", "master.key"],
    ],
  },
  { kind: "keys and certificates", source: "OpenSSL, nginx, Kubernetes", by: "content", names: ["*.pem", "*.key"] },
  {
    kind: "folders of keys and accounts",
    source: "OpenSSH, GnuPG, AWS, Azure, Oracle Cloud, pass, gcloud, GitHub CLI, sops",
    by: "folder",
    names: [
      ...[".ssh", ".gnupg", ".aws", ".azure", ".oci", ".password-store", ".config/gcloud", ".config/gh"],
      ".config/lastcall/sign-ins",
      ...[".config/sops", ".config/hub", ".config/glab-cli", ".config/op", ".config/doctl", ".private"],
    ],
  },
  {
    kind: "accounts of programs",
    source: "netrc, git, PostgreSQL, MySQL, Docker, Kubernetes, Vault, Ansible, boto, s3cmd, Cargo, RubyGems, Apache",
    by: "name",
    names: [
      ...[".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".git-credentials", ".boto"],
      ...[".s3cfg", ".dockercfg", ".kube/config", "kubeconfig", "kubeconfig.*", "kubeconfig-*", "*.kubeconfig"],
      ...["*-kubeconfig", "*-kubeconfig.yaml", "*-kubeconfig.yml", ".vault-token", ".vault_pass", ".vault_pass.*"],
      ...["vault_pass", "vault_pass.*", ".vault-password", ".vault_password", ".ansible/vault", ".htpasswd"],
      ...["htpasswd", ".htdigest", ".passwd-s3fs", ".smbcredentials", ".authinfo", ".authinfo.*", ".edgerc"],
      ...[".databrickscfg", "kaggle.json", ".huggingface/token", ".gem/credentials", ".cargo/credentials"],
      ...[".cargo/credentials.toml", "credentials.tfrc.json", ".ivy2/.credentials", ".sbt/.credentials"],
      ...["*.publishsettings", "*.pubxml.user", ".rclone.conf", "rclone.conf", ".secrets", "wp-config.php"],
      ...["*firebase-adminsdk*.json", "settings-security.xml", "*.token", "*.secret", "*.secrets", ".token", ".secret"],
      ...[
        "*credentials",
        ".ghtoken",
        ".github_token",
        ".npmtoken",
        ".snowsql/config",
        ".msmtprc",
        ".fetchmailrc",
        ".lftprc",
      ],
    ],
  },
  {
    kind: "settings that may name an account",
    source:
      "npm, Yarn, pip, uv, Conda, Bundler, Cargo, Maven, Gradle, NuGet, Composer, Docker, Terraform, git, curl, Sentry",
    by: "content",
    names: [
      ...[".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml", ".pypirc", "pip.conf", "pip.ini", "uv.toml", ".condarc"],
      ...[".bundle/config", ".cargo/config", ".cargo/config.toml", "gradle.properties", "local.properties"],
      ...["keystore.properties", "key.properties", "settings.xml", "nuget.config", "auth.json", ".docker/config.json"],
      ...[".terraformrc", "terraform.rc", "*.tfvars", "*.tfvars.json", ".gitconfig", "gitconfig", ".git/config"],
      ...[".config/git/config", ".curlrc", "_curlrc", ".wgetrc", ".hgrc", "hgrc", ".sentryclirc", ".clasprc.json"],
      ...["gcloud.json", "gha-creds-*.json", ".muttrc", "profiles.yml", ".twurlrc", "config.toml", ".mcp.json"],
      ...["*.ovpn", "wg*.conf", ".transifexrc", ".gem/config"],
    ],
  },
  {
    kind: "settings of an application",
    source: "ASP.NET Core, Azure Functions, Spring, Rails, Symfony, Firebase, Android, Ansible",
    by: "content",
    names: [
      ...["appsettings.json", "appsettings.*.json", "local.settings.json", "web.config", "app.config"],
      ...["web.*.config", "application.properties", "application-*.properties", "application.yml", "application.yaml"],
      ...["application-*.yml", "application-*.yaml", "bootstrap.yml", "bootstrap-*.yml", "bootstrap.properties"],
      ...["database.yml", "parameters.yml", "parameters.yaml", ".runtimeconfig.json", "google-services.json"],
      ...["googleservice-info.plist", "vault.yml", "vault.yaml"],
    ],
  },
  {
    kind: "state and dumps",
    source: "Terraform, OpenTofu, pg_dump, mysqldump, Redis",
    by: "name",
    names: [
      ...["*.tfstate", "*.tfstate.*", "*.tfplan", "dump.sql", "dump-*.sql", "dump_*.sql", "*_dump.sql", "*-dump.sql"],
      ...["backup.sql", "backup-*.sql", "backup_*.sql", "dump.sql.gz", "*.pgdump", "*.rdb"],
    ],
  },
  {
    kind: "histories of commands",
    source: "bash, zsh, Python, Node, psql, mysql, SQLite, Redis, Vim, less",
    by: "name",
    names: [
      ...[".bash_history", ".zsh_history", ".zhistory", ".python_history", ".node_repl_history", ".psql_history"],
      ...[".mysql_history", ".sqlite_history", ".rediscli_history", ".irb_history", ".pry_history", ".lesshst"],
      ...[".viminfo", "main.shada", ".dbshell"],
    ],
  },
  {
    kind: "profiles of browsers",
    source: "Chromium, Firefox, curl",
    by: "name",
    names: [
      ...["cookies", "cookies.sqlite", "cookies.txt", "login data", "login data for account", "web data"],
      ...["logins.json", "key3.db", "key4.db", "signons.sqlite"],
    ],
  },
];

/** Words that name a file of secrets, with any words before them: `prod-credentials.json`, `client_secret_1.json`. */
const stem =
  "(?:client_?|app_?|api_?|auth_?|access_?|refresh_?)?(?:secrets?|credentials?|creds|passwords?|passwd|tokens?)|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?|service[_-]?accounts?(?:[_-]?keys?)?";
const wordsAfter = "(?:[._-][\\w-]{1,40}){0,3}";

const plainWords = new RegExp(
  `^(?:[\\w.-]*[._-])?(?:${stem})(?:[._-](?:prod|production|dev|development|staging|test|local|live|old|new|\\d+))?(?:\\.(?:txt|csv|enc|env|db|dat|asc|list|key))?$`,
);

const documents = new RegExp(
  `^(?:[\\w.-]*[._-])?(?:${stem})${wordsAfter}\\.(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|properties|xml|plist|tfvars)(?:\\.enc)?$`,
);

/** Folders in which each file of data is likely to be a secret: of Docker Compose, Kubernetes and Ethereum. */
export const secretFolders: ReadonlySet<string> = new Set(["secrets", ".secrets", "private_keys", "private-keys"]);

/** True for names made of such a word, with no ending or one of plain text: they are secrets. */
export function isSecretWord(name: string): boolean {
  return plainWords.test(name);
}

/** The same with an ending of structured data: they count by their content. */
export function isSecretDocument(name: string): boolean {
  return documents.test(name);
}
