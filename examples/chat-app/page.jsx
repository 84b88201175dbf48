// The page: loads the messages of its chat, and shows them, the calls that wait, and a box for the next words.

import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses as isApproved,
  lastAssistantMessageIsCompleteWithToolCalls as isAnswered,
} from "ai";
import { Part } from "./parts.jsx";

const transport = new DefaultChatTransport({
  api: "/chat",
  // The server has the conversation: only the last message is sent.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
    body: { ...body, id, messages: messages.slice(-1), trigger, messageId },
  }),
});

/** The id of the chat is in the address, so a reload and a link show the same one. */
function chatId() {
  if (location.hash.length < 2) location.hash = crypto.randomUUID();
  return location.hash.slice(1);
}

function Page() {
  const [id, setId] = useState(chatId);
  const [messages, setMessages] = useState();
  useEffect(() => {
    const follow = () => setId(chatId());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    let isLeft = false;
    setMessages(undefined);
    fetch(`/chat/${encodeURIComponent(id)}/messages`)
      .then((response) => response.json())
      .then((loaded) => !isLeft && setMessages(loaded.messages));
    return () => void (isLeft = true);
  }, [id]);
  return messages && <Chat key={id} id={id} messages={messages} />;
}

function Chat({ id, messages }) {
  const chat = useChat({
    id,
    messages,
    resume: true,
    transport,
    sendAutomaticallyWhen: (state) => isApproved(state) || isAnswered(state),
  });
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  const last = chat.messages.at(-1);
  useEffect(() => {
    scrollTo({ top: document.body.scrollHeight });
  }, [chat.messages]);

  const stop = async () => {
    const headers = { "content-type": "application/json" };
    await fetch(`/chat/${encodeURIComponent(id)}/stop`, { method: "POST", headers, body: "{}" });
  };

  return (
    <main>
      <header>
        <h1>Tables tonight</h1>
        <a href="#">New chat</a>
      </header>
      {chat.messages.length === 0 && (
        <p className="hint">Say that you want a table. Reload whenever you like: nothing is lost.</p>
      )}
      {chat.messages.map((message) => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} chat={chat} isLast={message === last && !isBusy} />
          ))}
        </article>
      ))}
      {chat.status === "submitted" && <p className="hint">…</p>}
      {chat.error && (
        <p className="error">
          {chat.error.message} <button onClick={() => chat.regenerate()}>Try again</button>
        </p>
      )}
      <Words onSend={(text) => chat.sendMessage({ text })} onStop={isBusy ? stop : undefined} />
    </main>
  );
}

function Words({ onSend, onStop }) {
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onSend(text);
    setText("");
  };
  return (
    <form className="words" onSubmit={send}>
      <input
        autoFocus
        aria-label="Message"
        placeholder="A table for tonight, please"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {onStop ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button>Send</button>
      )}
    </form>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
