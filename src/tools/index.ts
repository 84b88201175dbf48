// lastcall/tools: the built-in loop-breaking tools, and tools that work in a folder.

export {
  askQuestion,
  converse,
  giveUp,
  taskCompletion,
  type GivingUp,
  type Message,
  type Question,
  type TaskCompletion,
} from "./endings.js";
