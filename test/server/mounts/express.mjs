import express from "express";
import { middleware, say } from "./agents.mjs";

const app = express();
app.use(express.json());
app.use(middleware);
app.get("/own", (_request, response) => void response.send("own"));
const server = app.listen(0, "127.0.0.1", () => say(server.address().port));
