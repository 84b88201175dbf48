// Ten questions of somebody who knows only the AI SDK, each with its way on the site.

/** A question, the words of the links to click from the landing page, and the words to search for. */
interface Question {
  readonly question: string;
  readonly clicks: readonly string[];
  readonly search: string;
  /** The address of the page that answers. */
  readonly page: string;
  /** Words of the answer. */
  readonly says: string;
}

export const questions: readonly Question[] = [
  {
    question: "How do I limit what a user may cost?",
    clicks: ["A cost limit for a user"],
    search: "cost limit",
    page: "/build/limits/",
    says: "maxCost",
  },
  {
    question: "How do I stream to React?",
    clicks: ["Streaming to React"],
    search: "useChat React",
    page: "/ship/in-a-web-app/",
    says: "useChat",
  },
  {
    question: "What takes over if a model fails?",
    clicks: ["Another model if one fails"],
    search: "fallback another model",
    page: "/build/models/",
    says: "fallback",
  },
  {
    question: "What exactly is in the prompt?",
    clicks: ["The exact prompt"],
    search: "system prompt",
    page: "/build/the-system-prompt/",
    says: "promptAt",
  },
  {
    question: "How do I test without a key?",
    clicks: ["Tests without a key"],
    search: "testing agent",
    page: "/prove/testing-your-agent/",
    says: "scriptedModel",
  },
  {
    question: "How do I deploy it?",
    clicks: ["Deployment"],
    search: "deployment",
    page: "/ship/deployment/",
    says: "systemd",
  },
  {
    question: "Can the memory be mine?",
    clicks: ["A memory of your own"],
    search: "memory of your own",
    page: "/build/a-memory-of-your-own/",
    says: "memory",
  },
  {
    question: "What is left after a crash?",
    clicks: ["After a crash"],
    search: "crash resume",
    page: "/build/sessions-and-resume/",
    says: "Guarantees after kill -9",
  },
  {
    question: "What does an upgrade break?",
    clicks: ["Upgrades"],
    search: "upgrading",
    page: "/ship/upgrading/",
    says: "What may change in which version",
  },
  {
    question: "How does a person approve a call?",
    clicks: ["Approvals"],
    search: "permission approver",
    page: "/build/permissions/",
    says: "approver",
  },
];

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The text of HTML without its entities. */
export function decodeHTML(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? entity;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal));
  });
}
