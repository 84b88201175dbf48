// lastcall init: makes a project, and says what to do next.

import { spawn } from "node:child_process";
import { relative, resolve } from "node:path";
import type { Settings } from "../args/args.js";
import { pages } from "../args/help-pages.js";
import { quoted } from "../args/options.js";
import { templateNames, type TemplateName } from "../args/values.js";
import { columnsOf } from "../display/paragraph.js";
import { visible } from "../display/visible.js";
import { personIn, surfaceOf, type Surroundings } from "../person/surface.js";
import { chooseTemplate, type Choice } from "./choose-template.js";
import { packageManager, type PackageManager } from "./package-manager.js";
import { lookAt, makeProject, type Place, type Project } from "./project.js";
import { readTemplate } from "./template.js";

/**
 * Makes a project in the folder, or in the present folder without one. Returns the exit code.
 * @throws LastcallError `configuration` that says what is in the way. Nothing was written then.
 */
export async function runInit(settings: Settings, around: Surroundings, given: string | undefined): Promise<number> {
  const { answer, say } = await surfaceOf(settings, around);
  const place = await lookAt(resolve(given ?? "."), given !== undefined && resolve(given) !== resolve("."));
  const name = await templateFor(settings, around);
  if (name === undefined) {
    say("Nothing was made.");
    return 130;
  }
  const project = await makeProject(place, readTemplate(name));
  const manager = packageManager(around.env);
  const isInstalled = settings.install && (await install(manager, place.folder, around.env)) === 0;
  answer(toldOf(project, { place, name, manager, isInstalled }));
  if (!settings.install || isInstalled) return 0;
  say(`${manager.install} failed. The project is there: try it again.`);
  return 1;
}

/** The template of the options, or of the person. Undefined if the person leaves. */
async function templateFor(
  { template, yes, noInput }: Settings,
  around: Surroundings,
): Promise<TemplateName | undefined> {
  if (template !== undefined) return template;
  const [usual] = templateNames;
  if (yes || noInput || personIn(around) === undefined) return usual;
  const { stdin, stderr, env, signal } = around;
  const { styleFor } = await import("../display/colours.js");
  const columns = columnsOf(stderr, env);
  return chooseTemplate(choices(), { input: stdin, output: stderr, columns, style: styleFor(stderr, env), signal });
}

/** The templates with the words of the help. */
function choices(): readonly Choice[] {
  const about = new Map(pages["init"]?.entries);
  return templateNames.map((name) => ({ name, about: about.get(name) ?? "" }));
}

/** Installs the packages, with the output of the package manager. Returns its exit code. */
function install({ install: line }: PackageManager, folder: string, env: Surroundings["env"]): Promise<number | null> {
  const [command = "", ...args] = line.split(" ");
  return new Promise((done) => {
    // On Windows, package managers are scripts of its shell.
    const shell = process.platform === "win32";
    spawn(command, args, { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"], shell })
      .on("error", () => {
        done(null);
      })
      .on("close", done);
  });
}

interface Telling {
  readonly place: Place;
  readonly name: TemplateName;
  readonly manager: PackageManager;
  readonly isInstalled: boolean;
}

/** The words about a project that was made, and the command lines that come next. */
function toldOf({ made, kept, keptScripts }: Project, { place, name, manager, isInstalled }: Telling): string {
  const at = relative(process.cwd(), place.folder);
  const [changed, where] = [
    place.manifest === undefined ? "" : " package.json has its scripts and packages now.",
    visible(at),
  ];
  const next = [
    ...(at === "" ? [] : [`cd ${quoted(where)}`]),
    ...(isInstalled ? [] : [manager.install]),
    ...["test", "start"].map((script) => keptScripts.find(([own]) => own === script)?.[1] ?? manager.run(script)),
  ];
  return [
    `Made ${where === "" ? "a project here" : where}, from the template ${name}: ${made.join(", ")}.${changed}`,
    ...(kept.length === 0 ? [] : [`Kept as they were: ${kept.join(", ")}.${tsconfigAdvice(kept)}`]),
    ...keptScripts.map(([own, line]) => `package.json keeps its own script ${own}. The template's is: ${line}`),
    "",
    "Next:",
    ...next.map((line) => `  ${line}`),
  ].join("\n");
}

function tsconfigAdvice(kept: readonly string[]): string {
  if (!kept.includes("tsconfig.json")) return "";
  return ' For the files of the template, tsconfig.json needs "allowImportingTsExtensions": true and "noEmit": true.';
}
