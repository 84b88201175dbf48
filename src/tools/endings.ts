// The built-in loop-breaking tools. Core knows no name of these tools; your own tools are made the same way.

import { z } from "zod";
import { tool, type Tool, type ToolSchema } from "../core/index.js";

/** A text that is not blank. The rule is checked here, because some servers refuse length bounds in a JSON Schema. */
const words = (): z.ZodString => z.string().refine((text) => text.trim() !== "", "must not be empty");

/** The arguments of `task_completion`. */
export interface TaskCompletion {
  /** The answer, or a description of the work that was done. */
  result: string;
  /** The parts of the result that the model did not verify. They also stand in `outcome.unverified`. */
  unverified?: string[] | undefined;
}

/** Options for the reply that a tool waits for. */
export interface Awaiting {
  /** An object schema that the reply must match; a form can be made from `outcome.replySchema`. Default: any text. */
  readonly replySchema?: ToolSchema | undefined;
  /** Milliseconds until the wait for a reply ends. Default: it never ends. */
  readonly expiresAfter?: number | undefined;
}

/** The arguments of `ask_question`. */
export interface Question {
  question: string;
  /** Up to four answers to choose from; the user may always answer in their own words. */
  suggestions?: string[] | undefined;
}

/** The arguments of `converse`. */
export interface Utterance {
  message: string;
}

/** The arguments of `give_up`. */
export interface GivingUp {
  reason: string;
}

const completionParameters = z.object({
  result: words().describe("The answer, or what was done and what is left"),
  unverified: z.array(words()).optional().describe("The statements in it that you did not verify yourself"),
});

/** `task_completion{ result, unverified? }`: the task is done. Ends the run as `completed` if the checks pass. */
export function taskCompletion(): Tool<"task_completion", TaskCompletion, TaskCompletion, "completed"> {
  return tool({
    name: "task_completion",
    description:
      "Ends the run: the task is done. Call it alone, when you have seen that everything asked for is done, and say the result in full: the user reads nothing else.",
    input: completionParameters,
    isLoopBreaking: true,
    unverified: "unverified",
    effect: "none",
    streams: "result",
  });
}

const questionParameters = z.object({
  question: words().describe("The question, complete in itself"),
  suggestions: z.array(words()).max(4).optional().describe("Answers to choose from"),
});

/** `ask_question{ question, suggestions? }`: ends the run as `waiting`. The next input is the answer. */
export function askQuestion(awaiting: Awaiting = {}): Tool<"ask_question", Question, Question, "waiting"> {
  return tool({
    name: "ask_question",
    description:
      "Asks the user one question and waits for the answer. Only for what you can't find out or decide yourself.",
    input: questionParameters,
    isLoopBreaking: true,
    awaitsReply: true,
    ...awaiting,
    effect: "none",
    streams: "question",
  });
}

const utteranceParameters = z.object({ message: words().describe("What to say") });

/** `converse{ message }`: says something and waits for the user's reply. Ends the run as `waiting`. */
export function converse(awaiting: Awaiting = {}): Tool<"converse", Utterance, Utterance, "waiting"> {
  return tool({
    name: "converse",
    description: "Says something to the user and waits for their next words. For conversation, not for finished tasks.",
    input: utteranceParameters,
    isLoopBreaking: true,
    awaitsReply: true,
    ...awaiting,
    effect: "none",
    streams: "message",
  });
}

const givingUpParameters = z.object({ reason: words().describe("What was tried, and why it can't be done") });

/** `give_up{ reason }`: admits that the task can't be done. Ends the run as `stopped` with the reason `gave_up`. */
export function giveUp(): Tool<"give_up", GivingUp, GivingUp, "stopped"> {
  return tool({
    name: "give_up",
    description: "Ends the run without success. Only when you have tried and the task can't be done; say why.",
    input: givingUpParameters,
    isLoopBreaking: true,
    givesUp: true,
    effect: "none",
  });
}
