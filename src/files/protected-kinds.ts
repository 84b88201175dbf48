// The files that programs run, or obey, outside of the run that wrote them: which program does so, and what it does with them.

/** Files that one program, or one kind of programs, runs or obeys. */
export interface ProtectedKind {
  /** The programs, as their documentation calls them. */
  readonly programs: string;
  /** The reason: what they do with the files. */
  readonly does: string;
  /** `never`: no tool writes them, even if somebody allows it. `asked`: an approver is asked. */
  readonly how: "never" | "asked";
  /** Names, or the ends of paths. `*` is any part of a name. A folder means all that is in it. */
  readonly names: readonly string[];
}

/** All kinds. */
export const protectedKinds: readonly ProtectedKind[] = [
  {
    programs: "git, Mercurial, Subversion, Jujutsu, Bazaar, Darcs, Sapling",
    does: "their data has hooks and settings that name programs",
    how: "never",
    names: [".git", ".gitmodules", ".gitconfig", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".sl", ".config/git"],
  },
  {
    programs: "bash, zsh, ksh, csh, fish, readline",
    does: "run at the start of a shell",
    how: "never",
    names: [
      ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"],
      ...[".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".config/fish"],
    ],
  },
  {
    programs: "systemd, desktops, launchd, PAM, X11",
    does: "run when the person logs in",
    how: "never",
    names: [
      ...[".config/systemd", ".config/autostart", ".config/environment.d", "Library/LaunchAgents", ".pam_environment"],
      ...[".xprofile", ".xinitrc", ".xsession", ".xsessionrc"],
    ],
  },
  {
    programs: "OpenSSH, GnuPG, AWS, netrc, PostgreSQL, git",
    does: "give access, and name programs that connect",
    how: "never",
    names: [".ssh", ".gnupg", ".aws", ".netrc", ".pgpass", ".git-credentials"],
  },
  {
    programs: "VS Code, JetBrains, Zed, Vim, ripgrep",
    does: "tasks and settings that run when the folder is opened",
    how: "never",
    names: [".vscode", ".idea", ".zed", "*.code-workspace", ".vimrc", ".exrc", ".ripgreprc"],
  },
  {
    programs: "lastcall and other agents",
    does: "settings that give an agent permissions, servers and hooks",
    how: "never",
    names: [
      ...[".mcp.json", ".lastcall", ".lastcallignore", "lastcall.config.*", ".config/lastcall", ".claude"],
      ...[".claude.json", ".codex", ".cursor", ".gemini", ".forge", ".roo", ".roomodes", ".kiro", ".amazonq", ".cline"],
      ...[".continue", ".windsurf", ".aider.conf.yml", ".opencode", "opencode.json"],
    ],
  },
  {
    programs: "agents",
    does: "instructions that are read as the user's",
    how: "asked",
    names: [
      ...["AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md"],
      ...["CRUSH.md", "WARP.md", "MEMORY.md", "replit.md", ".cursorrules", ".windsurfrules", ".clinerules"],
      ...[".roorules", ".rules", ".continuerules", ".goosehints", ".augment-guidelines", ".openhands_instructions"],
      ...[".github/copilot-instructions.md", ".github/instructions", ".github/prompts", ".github/chatmodes"],
      ...[".github/agents", "*.instructions.md", "*.prompt.md", "*.chatmode.md"],
    ],
  },
  {
    programs: "Copilot CLI, Crush, Junie, Augment, Trae, Qwen Code, Factory, Goose, OpenHands, Kilo Code, Amp, Warp",
    does: "settings that give an agent permissions, servers and hooks",
    how: "asked",
    names: [
      ...["mcp.json", "mcp-config.json", "mcp_config.json", "mcp_settings.json", "claude_desktop_config.json"],
      ...[".copilot", ".crush", ".crush.json", "crush.json", ".junie", ".augment", ".trae", ".qwen", ".factory"],
      ...[".goose", ".openhands", ".kilocode", ".kilocodemodes", ".amp", ".warp", ".agents", ".claude-plugin"],
      "gemini-extension.json",
    ],
  },
  {
    programs: "direnv, mise, autoenv, Replit, Gitpod, IDX, Development Containers",
    does: "run when somebody enters or opens the folder",
    how: "asked",
    names: [
      ...[".envrc", ".direnvrc", "direnv.toml", ".mise.toml", "mise.toml", ".mise.*.toml", "mise.*.toml", ".mise"],
      ...[".config/mise", ".config/mise.toml", ".autoenv", ".autoenv.zsh", ".autoenv_leave.zsh", ".replit"],
      ...[".gitpod.yml", ".gitpod.Dockerfile", ".idx", ".devcontainer", ".devcontainer.json"],
    ],
  },
  {
    programs: "Neovim, Vim, Emacs, Helix, Sublime Text, Fleet, Visual Studio, lua-language-server, YouCompleteMe",
    does: "run, or name programs that run, when a file of the folder is opened",
    how: "asked",
    names: [
      ...[".nvimrc", ".nvim.lua", ".lvimrc", ".vim", ".nvim", ".dir-locals.el", ".dir-locals-2.el", ".helix", ".fleet"],
      ...["*.sublime-project", "*.sublime-workspace", ".luarc.json", ".ycm_extra_conf.py", ".neoconf.json"],
    ],
  },
  {
    programs: "git, Git LFS, pre-commit, Husky, Lefthook, lint-staged, Overcommit, CaptainHook, GrumPHP",
    does: "run when somebody commits, checks out or pushes",
    how: "asked",
    names: [
      ...[".gitattributes", ".lfsconfig", ".githooks", ".git-hooks", ".husky", ".huskyrc", ".huskyrc.*"],
      ...[".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "lefthook.*"],
      ...[".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".lefthook", ".lefthook-local", ".lintstagedrc"],
      ...[".lintstagedrc.*", "lint-staged.config.*", ".simple-git-hooks.*", "simple-git-hooks.*", ".overcommit.yml"],
      ...["captainhook.json", "grumphp.yml"],
    ],
  },
  {
    programs: "npm, Yarn, pnpm, Bun, pip, uv, Cargo, Maven, NuGet",
    does: "name the server that packages come from, and code that runs at an installation or a build",
    how: "asked",
    names: [
      ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins", ".pnpmfile.cjs", ".pnpmfile.mjs"],
      ...["bunfig.toml", ".bunfig.toml", ".pypirc", "pip.conf", "uv.toml", ".cargo/config", ".cargo/config.toml"],
      ...[".mvn", "nuget.config"],
    ],
  },
  {
    programs: "R, Octave, gnuplot, pry, irb, pdb, gdb, lldb, ctags, act, tmux",
    does: "run when the program starts in the folder",
    how: "asked",
    names: [
      ...[".Rprofile", ".Renviron", ".octaverc", ".gnuplot", ".pryrc", ".irbrc", ".pdbrc", ".gdbinit", ".lldbinit"],
      ...[".ctags", ".ctags.d", ".actrc", ".tmux.conf", ".screenrc"],
    ],
  },
];
