// The words of the help that are not about options.

/** A term of the help, and its explanation. */
export type Entry = readonly [term: string, text: string];

/** The ways to call the command. */
export const usage: readonly Entry[] = [
  ['lastcall "TASK"', "works on the task in this folder"],
  ['... | lastcall "TASK"', "the same, with a program's output as material"],
  ['lastcall --agent FILE "TASK"', "the same, by an agent of yours in a module"],
  ["lastcall chat [ID]", "a conversation, a new one or a stored one"],
  ["lastcall review [ID | RANGE]", "finds faults in changes, and changes nothing"],
  ['lastcall resume ID ["ANSWER"]', "answers a question or an approval, or goes on"],
  ["lastcall sessions", "lists all; for one: show, diff, undo ID"],
  ["lastcall eval FILE", "measures agents on tasks whose truth is known"],
  ["lastcall studio", "sessions in the browser; serve serves over HTTP"],
  ["lastcall run JOB.yaml", "a task and its options from a file, for CI"],
  ["lastcall help [PAGE]", "this help; docs [WORDS] searches all pages"],
  ["lastcall init [FOLDER]", "makes a project; lastcall alone shows a demo"],
];

/** The exit codes. */
export const codes: readonly Entry[] = [
  ["0", "completed (with --until: and checked), or every --until-every passed"],
  ["1", "failed: a fault of the provider or of the program"],
  ["2", "stopped by circuit, model, check or limit; or a review found errors"],
  ["3", "waiting for an answer or an approval"],
  ["4", "configuration or key"],
  ["5", "completed, but every check of --until had passed before anything was done"],
  ["6", "completed without a check, under --require-verified"],
  ["124", "timeout"],
  ["130", "interrupted"],
];

/** A page about a command, or about something else that is no option. */
export interface Page {
  readonly usage: string;
  readonly text: string;
  readonly entries?: readonly Entry[];
  /** The options that it takes, in words. */
  readonly options?: string;
}

/** The pages by their names. The options are on separate pages, or after the text of the page with that name. */
export const pages: Readonly<Record<string, Page>> = {
  chat: {
    usage: "lastcall chat [ID]",
    text: "A conversation with the same tools and rights as a task: a new one, or the stored one with this id (its beginning is enough). At a terminal, type /help in it. Without one, each line of standard input is a turn. It is stored from the first word on and goes on after a crash.",
    options: "all options of a task but --json, --no-save and --notes-from",
  },
  resume: {
    usage: 'lastcall resume ID ["ANSWER"] [-] [--approve | --refuse]',
    text: "Answers the question of a session, or goes on where it was left, also after a crash. The beginning of an id is enough. A suggestion is answered by its number. If a call waits for an approval (--park), --approve lets exactly this call run, and --refuse refuses it, with the words as the reason. Words alone are a refusal too. Without any, the call is shown: at a terminal it is asked about, elsewhere the exit code is 3. The session has the options of its task, but not its rights: give --allow, --yes or --tier again. With --more, a completed session takes new words. Rounds and rivals (--rounds, --best-of) go on as a whole. With an answer, standard input is read as for a task: lastcall help input.",
    options: "all options of a task but --no-save and --notes-from",
  },
  review: {
    usage: "lastcall review [ID | RANGE] [--json]",
    text: 'An agent with a clean context that only reads reviews a diff: of the working tree since the last commit, new files included; of a range of git, main...HEAD for example; of the working tree since a revision; or of a session. Standard output has a line for each finding, file:line severity reason, and standard error the summary; --json prints the whole outcome. A finding has to name a line that the diff shows. Only this folder counts, and files that are likely to hold secrets are left out. Exit code 2: a finding is an error. A diff from a pipe: git diff | lastcall --review "look at the locks". An agent named review in a file is the reviewer: lastcall help agents, lastcall docs plan-and-review.',
    options: "all options of a task but --agent, --until, --until-every, --tier, --plan, --notes-from and --attach",
  },
  plan: {
    usage: 'lastcall --plan "TASK"',
    text: "An agent that only reads plans the task in steps, each with its files and a way to see that it is done. Without --yes it asks: yes, or the number of that answer, has the plan worked off; other words go to the planner, which proposes another; Enter alone leaves the session with exit code 3. lastcall resume ID yes answers later. The agent that builds sees the task and the plan, and nothing that the planner read. The plan is in the session: after a crash, lastcall resume ID goes on with the work. An agent named plan in a file is the planner: lastcall help agents, lastcall docs plan-and-review.",
  },
  run: {
    usage: "lastcall run FILE",
    text: "Runs the task of a file, in YAML or JSON: task, and the options of a task by their names, as in lastcall.config.yaml. The command line wins over the file. It waits for no person, also at a terminal, and reads no standard input. Whoever names the file trusts it; a relative path in it starts at its folder. lastcall docs jobs-and-pull-requests has an example for CI, with a pull request. A task of that one word is lastcall -- run.",
    options: "all options of a task",
  },
  sessions: {
    usage: "lastcall sessions [import FILE]",
    text: "Lists the stored sessions, the latest first: id, time, how the session stands, task. lastcall list is the same. With import, stores the session of a page (lastcall show ID --html) or of JSON (lastcall show ID --json), and prints its id: the id of the file if it is free and looks like an id of the command, or else a new one. All of it is checked before anything is written. It brings no rights: no options, no names of people, and what was said about a call without a result is left out, so that call is decided about anew.",
  },
  stats: {
    usage: "lastcall stats [ID] [--json]",
    text: "Counts what all stored sessions did, or one with the agents that its calls ran: how runs ended, failures by kind, how often the circuit opened, and for each model, tool and check how often it worked, and the time that half, 95 % and 99 % of its work stayed within. The time of a reply is that of its request with all tries; a call's time begins with the decision about it.",
  },
  show: {
    usage: "lastcall show ID [--json | --atif | --html FILE]",
    text: "Prints a session for people, or as JSON for programs. --atif prints it as a trajectory in ATIF 1.7, which the viewers of Harbor and others read. --html FILE writes it as one page, with the sessions of the agents that its calls ran: the studio over this session alone, in one file that opens without a server and asks nobody. Every text in it loses the secrets of the known formats and those of this environment. Attached files and the changes of files stay out. lastcall sessions import FILE reads it.",
  },
  fork: {
    usage: "lastcall fork ID[@RECORD]",
    text: "Copies a session, up to this record if one is named, and prints the id of the copy. lastcall show ID has the numbers of the records.",
  },
  verify: {
    usage: "lastcall verify ID [--key [NAME=]FILE]... [--json]",
    text: "Says whether each call of a session that needed a yes had the right one before it ran, from the session and public keys alone: each answer and each effect in a line, with those of the agents that its calls ran. --key FILE has the public key of the signatures, as PEM (SPKI) or JWK, in Ed25519; of several keys, each is given with the name that the signatures state: --key key-2026=new.pem. With a key, an answer without a signature is a problem. Without one, order, times and people are checked if nothing is signed, and a change of the journal can't be told. A line says what could not be checked, because it was redacted or left out. Exit code 2: an answer or an effect does not hold; 4: there are signatures and no key.",
    options: "--key, --json, --sessions, --store",
  },
  diff: {
    usage: "lastcall diff ID[@ITERATION]",
    text: "Shows what the runs of a session have changed in their folder, as a unified diff, also after other work: edits, and whatever commands changed. With an iteration, only what the last run changed after it; @0 is all of the last run.",
  },
  undo: {
    usage: "lastcall undo ID[@ITERATION] [--dry-run] [--json]",
    text: "Takes back what the runs of a session have changed in their folder, commands included, and only that; with an iteration, only what the last run changed after it, and @0 is all of the last run. A path that somebody else has changed since is named and stays as it is. It needs no git and leaves git's own data alone. What a command did outside of the folder stays: packages, services, the network. Files that are likely to hold secrets and files over 64 MB are not kept, so a change of theirs is named. --dry-run says all that, and changes nothing. Exit code 2: a path or a command is named.",
  },
  redo: {
    usage: "lastcall redo ID [--dry-run] [--json]",
    text: "Makes again what the last lastcall undo of the session took back; --dry-run says what that would be, and changes nothing. Exit code 2: a path is named, and stays as it is.",
  },
  repair: {
    usage: "lastcall repair ID [--write]",
    text: "Says what a repair of a damaged session would keep and drop. With --write, repairs it and keeps a copy of the damaged log beside it.",
  },
  prune: {
    usage: "lastcall prune AGE",
    text: "Deletes the sessions that nobody has gone on with for this time: 12h, 30d or 4w. It deletes at once; lastcall sessions shows the times before.",
  },
  replay: {
    usage: "lastcall replay ID [--read | --live]",
    text: "Runs a finished session again with the agent that these options make, and says whether it would have gone the same way: where the first request, decision, result, verdict or end differs, in what, and what follows from it. The model says the recorded replies, so no model is asked and no key is needed. No call runs and no person is asked: results and answers come from the session, which is only read. With --read, calls that only read files run for real. With --live, all calls run, and the checks, in a copy of the folder as it is now; a call that would reach beyond the copy is refused. The session has the options of its task, but not its rights: give --allow, --yes or --tier again. MCP servers are started to list their tools. Exit code 2: it departs.",
    options: "all options of a task but --no-save, --notes-from, --attach, --record and --replay",
  },
  bisect: {
    usage: "lastcall bisect ID --agent A --against B",
    text: "Names the differences between two agents, each in a module, at which the run of a session departs: a paragraph of the instructions, a tool, a check, an option. The session is replayed with agent A and one difference of agent B at a time. Nothing runs, and no model is asked. Exit code 2: there is such a difference.",
    options: "all options of a task but --no-save, --notes-from, --attach, --record and --replay",
  },
  eval: {
    usage: "lastcall eval FILE | FOLDER | --suite truth [--against REPORT] [--trials N] [--report FILE] [--dry-run]",
    text: "Runs the evaluation that the module exports by default: tasks, variants of the agent and models, each tried several times. A command or a function that the agent can't see says whether the goal was reached. First each task is controlled: doing nothing has to fail, its solution has to pass. Killed and started again, it goes on where it was, also within a trial. The table goes to standard output; .lastcall/evals/NAME/N beside the file has report.json, report.html for a browser, report.xml (JUnit), rows.jsonl, and the sessions of all trials. With --suite truth, a model is tried on tasks that ship, with five ways of checking what it claims; its files are in .lastcall/evals/truth of the folder. With a FOLDER, a model is tried on the Harbor task in it, or on the tasks directly below it, without a check and with its own opinion; a task that needs more than this machine has is void, with the reason. With --dry-run it says what it is likely to cost, and ends. Exit code 2: a task that must pass has failed, more than 5 % of the trials are void, the evaluation is not complete, or, with --against, the agent got worse.",
    options:
      "--against, --report, --trials, --suite, --dry-run, --json, --quiet; with --suite or a folder the options of a model, --prices and --max-cost",
  },
  agents: {
    usage: "lastcall agents [--json]",
    text: "Lists the agents that the model of a task can call: explore, which only reads, and those in Markdown files: .lastcall/agents/NAME.md in the folder, which a person has to trust, agents/NAME.md beside your own config file, and the files of --agents. Each is a tool named as the agent. It knows nothing but its task, its calls pass the same gate, and it draws from the same limits. An agent that only reads runs beside others. In a conversation, /agents lists them, and /open shows the calls of those that ran. An agent named plan or review is the planner of --plan or the reviewer of lastcall review as well, if it only reads.",
    entries: [
      ["description: TEXT", "in the front matter: tells the model when to call the agent; required"],
      ["name: NAME", "its name (default: that of the file)"],
      [
        "tools: [read_file, ...]",
        "its tools, of read_file, list_files, search_files, write_file, edit_file, move_file, delete_file, run_command, ask_question (default: the first three)",
      ],
      ["model: NAME", "another model of the same server (default: that of the run)"],
      ["the text below", "its instructions"],
    ],
    options: "those of a task",
  },
  mcp: {
    usage: "lastcall mcp list | test NAME [TOOL [JSON]] | serve [--port PORT]",
    text: "Tools from MCP servers, and the agent as such a tool. The servers are those of --mcp FILE, else those of the setting mcp in a config file and of .mcp.json in the folder, which a person has to trust. A task and a conversation start them, add their tools, and end them. A server that can't be started is told in a line, and its tools are missing. Each call of their tools is asked about, unless a rule allows it: --allow demo__echo. It needs npm install @modelcontextprotocol/client beside lastcall, and serve @modelcontextprotocol/server.",
    entries: [
      [
        "lastcall mcp list",
        "the servers, their files, whether they are trusted and can be reached, and their tools with their effects; --json prints the same",
      ],
      [
        "lastcall mcp test NAME",
        "connects to one server: its name, protocol, time and tools, and the tools that are left out with the reasons",
      ],
      [
        "lastcall mcp test NAME TOOL JSON",
        "calls a tool of it with these arguments, and prints the result; exit code 1 if the call fails",
      ],
      [
        "lastcall mcp serve",
        "serves the agent, or that of --agent, as a tool over standard input and output, one call at a time. A call is a session like any other; its question goes to the caller, and an approval, with --park, to you",
      ],
      [
        "lastcall mcp serve --port 0",
        "the same over HTTP on this machine; the line on standard error has the address and the token, which LASTCALL_MCP_TOKEN may set",
      ],
    ],
    options: "those of a task; test takes --mcp, --no-mcp and --workdir of them",
  },
  cassette: {
    usage: "lastcall cassette check FILE",
    text: "Says whether a file of --record can be replayed: each line can be read, no body was changed since, and no known format of a key is in it. It lists the requests with their responses. Exit code 2 if there is a problem.",
  },
  serve: {
    usage: "lastcall serve [--port PORT] [--listen ADDRESS] [--host NAME] [--open]",
    text: "Puts the agent, or that of --agent FILE, behind HTTP: sessions, streams, approvals, useChat, AG-UI, and the studio. Each request has to bring the token, which LASTCALL_SERVER_TOKEN may set. Calls that need an approval wait in the session for somebody who looks at it. At an interrupt, runs are suspended, and the next server goes on with them, also after a crash.",
    options: "those of a task but --json, --no-save and --notes-from",
  },
  studio: {
    usage: "lastcall studio [--read-only] [--open] [--port PORT] [--sessions DIR]",
    text: "A page over the stored sessions of this machine: what each iteration did, live and past, its very prompt, checks and receipts, plots, two sessions compared. There one answers, approves, steers, aborts, goes on and forks. A session goes on with the options that it keeps; rights are those of this command line, and a call that needs more waits for an approval. It asks no model before somebody goes on with a session.",
    options: "--read-only, --open, --port, --listen, --host, --sessions, --store, and the rights of a task",
  },
  work: {
    usage: "lastcall work --store ADDRESS",
    text: "Works on the tasks that lastcall schedule gives, with the agent of these options, or that of --agent FILE, in this folder. The sessions and the queue are in Postgres, so any number of workers share the work: each works on one run at a time, and no run is in two. At an interrupt or SIGTERM the run is suspended, and another worker goes on with it at once; after a crash, some seconds later. A run that another worker goes on with sees the folder of that worker. A question, and a call that needs an approval, wait in the session for lastcall resume. It needs npm install pg @dbos-inc/dbos-sdk@5.3, and lastcall store migrate once.",
    options: "those of a task but --json, --no-save and --notes-from",
  },
  schedule: {
    usage: 'lastcall schedule [[NAME] "TASK" [--at TIME] [--every TIME] | remove NAME] --store ADDRESS',
    text: "Gives a task to the workers of lastcall work. It asks no model, and the task is not lost before a worker takes it. --agent FILE names the agent whose workers are meant, and loads no file.",
    entries: [
      ['lastcall schedule "TASK"', "gives it now, and prints the id of its session"],
      [
        'lastcall schedule NAME "TASK" --every 24h',
        "gives it each day at midnight in UTC, as a new session; the same name again replaces it. Times at which no worker runs are left out",
      ],
      [
        'lastcall schedule NAME "TASK" --every 24h --at 2026-12-31T06:00Z',
        "the same, each day at six, from that day on",
      ],
      [
        'lastcall schedule "TASK" --at 2026-12-31T06:00Z',
        "gives it once; if no worker runs then, the next that starts takes it",
      ],
      ["lastcall schedule", "lists what comes, with the next times"],
      ["lastcall schedule remove NAME", "ends it; sessions that have begun go on"],
    ],
    options: "--at, --every, --agent, --store",
  },
  store: {
    usage: "lastcall store migrate --store ADDRESS",
    text: "Makes the tables for sessions in Postgres, or brings them up to date. It may be run at any time, also by many at once. Its user needs the right to create a schema; those who keep sessions only need to use it. With a parameter, as in postgres://user@host/database?schema=name, the tables are in that schema; the default is lastcall. LASTCALL_STORE may have the address, so that a password stands in no command line.",
    options: "--store",
  },
  docs: {
    usage: "lastcall docs [PAGE | WORDS] [--json] | --mcp",
    text: "The pages that come with lastcall: the guide, the pages in depth, the options. They are files of the package and need no network. This help is about the command alone. Exit code 2: no page has any of the words.",
    entries: [
      ["lastcall docs", "lists the pages in their groups"],
      [
        "lastcall docs WORDS",
        "the five pages that fit best, each with the section, a line of it and the way to open it",
      ],
      ["lastcall docs PAGE", "prints the page with this name, such as limits or guide/5-checks"],
      ["lastcall docs PAGE#SECTION", "prints one section of it"],
      [
        "lastcall docs --mcp",
        "serves them over standard input and output to a coding agent: a tool that searches, a tool that reads, and each page as a resource; needs npm install @modelcontextprotocol/server beside lastcall",
      ],
    ],
    options: "--json",
  },
  init: {
    usage: "lastcall init [FOLDER] [--template NAME] [--install] [--yes]",
    text: "Makes a project in TypeScript with an agent that runs and is tested at once: a script plays the model until there is a key. In a folder that has a package.json, the files are added beside those that are there, and package.json gets the scripts and packages that it lacks. No file is changed besides, and if one is in the way, nothing is done.",
    entries: [
      ["agent", "an agent with a tool of its own, and its test"],
      ["desk", "a support desk with a web page: it asks the customer, and waits for approvals"],
      ["coding", "a coding agent for the command, whose work is done when its checks say so"],
      ["service", "an agent behind HTTP, with Postgres if there is a DATABASE_URL"],
    ],
    options: "--template, --install, --yes, --no-input",
  },
  demo: {
    usage: "lastcall demo",
    text: "Shows a recorded model at work, with real tools in a new folder. It needs no key. lastcall without words does the same, unless standard input is a pipe: then it says how to give a task.",
  },
  input: {
    usage: '... | lastcall "TASK"',
    text: "If standard input is a pipe or a file, its text is added to the task as material: the model is told that it comes from outside and is no instruction. At most 256 KiB of UTF-8. A pipe in which nothing comes for 5 seconds is left alone, and a line says so. Terminals, sockets and devices such as /dev/null are not read. While standard input is read from, nobody can be asked at the terminal: give rights with --allow or --yes.",
    entries: [
      ['lastcall "TASK" -', "reads standard input to its end, whatever it is and however long it takes"],
      ["lastcall -", "takes the task itself from standard input"],
      ['lastcall "TASK" < /dev/null', "reads nothing, for example in a loop that reads a file"],
      ["lastcall -- help", "a task of one word that is also a command"],
    ],
  },
  rounds: {
    usage: 'lastcall "TASK" --until COMMAND --rounds N | --best-of N [--by COMMAND]',
    text: "Several tries at one task (lastcall docs rounds-and-rivals). The limits hold for all tries together, and nobody is asked, as with --no-input. Each try is a session: ID, ID.2 and so on. After a crash, lastcall resume ID goes on with all of them; the same command once more is a new task.",
    entries: [
      ["--rounds N", "one after another on the same files, each with a clean context and its share of the limits"],
      [
        "--best-of N",
        "side by side in git worktrees, or in copies where there is no git. The checks run once more, with the files of --protect (else all usual tests) put back as they were: a run that edits the test does not win by it. The changes of the best come into the folder",
      ],
    ],
  },
  codes: {
    usage: "Exit codes",
    text: "Only a completion, or a goal that a machine confirmed, exits with 0.",
    entries: codes,
  },
};
