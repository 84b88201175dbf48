# For the program `workerd`: a worker with a Durable Object whose SQLite is in the folder `storage`. With wrangler, wrangler.jsonc says the same.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "storage", disk = (path = "storage", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-06-01",
  bindings = [
    (name = "DESKS", durableObjectNamespace = "Desk"),
    (name = "OPENAI_API_KEY", fromEnvironment = "OPENAI_API_KEY"),
    (name = "OPENAI_BASE_URL", fromEnvironment = "OPENAI_BASE_URL"),
  ],
  durableObjectNamespaces = [(className = "Desk", uniqueKey = "lastcall-desk", enableSql = true)],
  durableObjectStorage = (localDisk = "storage"),
);
