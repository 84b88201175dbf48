// The order of the site: each page of the repository stands in just one place.

import { basename } from "node:path";

/**
 * A page is its file, or the file with another name in the address and another label in the sidebar. A group has a label and pages.
 * Addresses are made of the section and the file's name: docs/guide/2-tools.md is /build/tools/.
 */
export const sections = [
  {
    label: "Start",
    slug: "start",
    pages: [
      { file: "docs/guide/README.md", slug: "guide", label: "The guide" },
      "docs/guide/1-first-agent.md",
      { file: "docs/the-command.md", label: "The command" },
      { file: "docs/chat.md", slug: "chat", label: "A conversation" },
      { file: "docs/your-own-agent.md", label: "Your own agent in the command" },
      { file: "examples/README.md", slug: "examples", label: "Examples" },
      {
        label: "Coming from",
        pages: [
          { file: "docs/coming-from-ai-sdk.md", label: "The AI SDK" },
          { file: "docs/coming-from-openai-agents.md", label: "OpenAI Agents" },
          { file: "docs/coming-from-langchain.md", label: "LangChain" },
          { file: "docs/coming-from-mastra.md", label: "Mastra" },
          { file: "docs/coming-from-pi.md", label: "pi" },
        ],
      },
      {
        label: "For coding agents",
        pages: [
          { file: "SKILL.md", slug: "skill", label: "Skill" },
          { file: "skills/program.md", label: "A program and its test" },
          { file: "skills/people.md", label: "Questions and approvals" },
          { file: "skills/production.md", label: "On a server" },
        ],
      },
    ],
  },
  {
    label: "Build",
    slug: "build",
    pages: [
      {
        label: "Tools",
        pages: [
          "docs/guide/2-tools.md",
          "docs/guide/12-tools-from-mcp-servers.md",
          "docs/the-system-prompt.md",
          "docs/guide/15-hooks-and-wrappers.md",
        ],
      },
      {
        label: "Endings",
        pages: [
          "docs/guide/3-endings.md",
          "docs/guide/4-mistakes.md",
          "docs/when-the-model-gets-it-wrong.md",
          "docs/limits.md",
        ],
      },
      { label: "Checks", pages: ["docs/guide/5-checks.md", "docs/done-is-a-check.md"] },
      {
        label: "Models",
        pages: [
          "docs/guide/9-models.md",
          "docs/guide/11-models-of-other-makers.md",
          { file: "docs/files-and-images.md", label: "Files and images" },
        ],
      },
      {
        label: "Sessions",
        pages: [
          "docs/guide/6-sessions.md",
          { file: "docs/sessions.md", slug: "sessions-and-resume" },
          "docs/guide/7-context.md",
          { file: "docs/context.md", slug: "context-in-depth", label: "Context in depth" },
          "docs/a-memory-of-your-own.md",
        ],
      },
      {
        label: "Approvals",
        pages: [
          "docs/guide/8-permissions.md",
          "docs/what-the-agent-may-do.md",
          "docs/undo.md",
          "docs/rounds-and-rivals.md",
          "docs/plan-and-review.md",
          { file: "docs/jobs-and-pull-requests.md", label: "Jobs and pull requests" },
          "docs/secret-and-protected-files.md",
          "docs/secrets.md",
          "docs/untrusted-content.md",
        ],
      },
      {
        label: "More than one agent",
        pages: [
          { file: "docs/guide/14-more-than-one-agent.md", label: "Agents in tools" },
          { file: "docs/programs-of-others.md", label: "Programs of others" },
        ],
      },
    ],
  },
  {
    label: "Ship",
    slug: "ship",
    pages: [
      "docs/guide/16-behind-http.md",
      "docs/guide/17-in-a-web-app.md",
      "docs/guide/18-ag-ui.md",
      "docs/guide/19-the-studio.md",
      { file: "docs/guide/20-many-machines.md", label: "Hosts: many machines" },
      { file: "docs/guide/13-watching-it.md", label: "Telemetry" },
      "docs/deployment.md",
      "docs/operations.md",
      "docs/scale.md",
      "docs/runtimes.md",
      "docs/upgrading.md",
      { file: "SECURITY.md", slug: "security", label: "Security" },
    ],
  },
  {
    label: "Prove",
    slug: "prove",
    pages: [
      "docs/guide/10-testing-your-agent.md",
      { file: "docs/recording-a-run.md", label: "Recording and replay" },
      { file: "docs/is-it-any-good.md", label: "Evals: is it any good?" },
      "docs/reading-the-report.md",
      { file: "docs/how-often-is-done-not-done.md", label: "How often is done not done?" },
      { file: "docs/what-was-tried.md", label: "What was tried" },
      "docs/a-real-model.md",
      "docs/performance.md",
    ],
  },
  {
    label: "Reference",
    slug: "reference",
    pages: [
      "docs/options.md",
      { file: "docs/one-iteration.md", label: "One iteration" },
      { file: "docs/log.md", label: "The log" },
      { file: "docs/README.md", slug: "all-pages", label: "All pages" },
      { file: "CHANGELOG.md", slug: "changes", label: "Changes" },
    ],
  },
  {
    label: "Why",
    slug: "why",
    pages: [
      "docs/architecture.md",
      { file: "docs/one-event-one-result.md", label: "Frame by frame" },
      { file: "CONTRIBUTING.md", slug: "contributing", label: "Contributing" },
      { file: "AGENTS.md", slug: "rules-of-the-house", label: "Rules of the house" },
    ],
  },
];

/** A page as its fields, however it is written above. */
export const stated = (page) => (typeof page === "string" ? { file: page } : page);

/** The pages in the order of the sidebar, each with its address. */
export function placed() {
  return sections.flatMap((section) =>
    section.pages
      .flatMap((page) => page.pages ?? [page])
      .map((page) => {
        const { file, slug, label } = stated(page);
        const name = basename(file, ".md").replace(/^\d+-/, "");
        return { file, label, section: section.label, id: `${section.slug}/${slug ?? name}` };
      }),
  );
}

/** The files without a place on the site. */
export function unplaced(files) {
  const places = new Set(placed().map(({ file }) => file));
  return files.filter((file) => !places.has(file));
}
