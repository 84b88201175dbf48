import fastify from "fastify";
import { middleware, say } from "./agents.mjs";

const app = fastify();
// The handler reads the body itself.
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", (_request, _payload, done) => done(null));
app.all("/agents/*", (request, reply) => {
  reply.hijack();
  middleware(request.raw, reply.raw, () => reply.raw.writeHead(404).end());
});
app.get("/own", () => "own");
await app.listen({ port: 0, host: "127.0.0.1" });
say(app.server.address().port);
