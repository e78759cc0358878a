// A client of the workspace's host, for what a test wants to know exactly: sessions as they stand, and the
// executions behind them. It is one more face beside the editor and the window.

import { readdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { PATIENCE, until } from "./until.mjs";

/** A connection to a host. */
export class Host {
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting = new Map();
  #next = 1;
  #sessions = new Map();
  /** The host's process. */
  pid;
  /** Whether the connection has ended. */
  gone = false;

  /** Connects to the host whose socket lies below this runtime folder, once one answers there. */
  static async connect(runtime) {
    const answers = () => Host.#answering(runtime).catch(() => undefined);
    const { build } = await until("the host to answer", answers, { patience: PATIENCE });
    // Only a client of the same build may ask for more than a hello.
    const host = await new Host().#open(socketBelow(runtime));
    host.pid = (await host.#hello(build)).pid;
    const { sessions } = await host.request("raddle/sessions", {});
    sessions.forEach((state) => host.#keep(state));
    return host;
  }

  /** What the host says of itself. */
  static async #answering(runtime) {
    const host = await new Host().#open(socketBelow(runtime));
    try {
      return await host.#hello("");
    } finally {
      host.close();
    }
  }

  /** Asks, and gives back what is answered. */
  request(method, params) {
    const id = this.#next++;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { version: 1, ...params } });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, method });
      this.#socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  /** The sessions as they were last told. */
  get sessions() {
    return [...this.#sessions.values()];
  }

  /** Waits for a session of which `state` is true, and gives it back as it then stands. */
  session(what, state, patience = PATIENCE) {
    return until(what, () => this.sessions.find(state), { patience });
  }

  close() {
    this.#socket.destroy();
  }

  #hello(build) {
    return this.request("raddle/hello", { protocol: 1, build, face: "cli" });
  }

  #open(path) {
    return new Promise((resolve, reject) => {
      this.#socket = createConnection(path, () => resolve(this));
      this.#socket.once("error", reject);
      this.#socket.once("close", () => {
        for (const { reject, method } of this.#waiting.values()) reject(new Error(`${method}: the host has gone`));
        this.gone = true;
      });
      this.#socket.on("data", (data) => this.#receive(data));
    });
  }

  #receive(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const end = this.#buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString("latin1", 0, end))[1]);
      const body = this.#buffer.subarray(end + 4, end + 4 + length);
      if (body.length < length) return;
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#message(JSON.parse(body.toString("utf8")));
    }
  }

  #message({ id, method, params, result, error }) {
    if (method === "raddle/session") return this.#keep(params);
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) asked?.reject(new Error(`${asked.method}: ${error.message}`));
    else asked?.resolve(result);
  }

  #keep(state) {
    this.#sessions.set(state.session, state);
  }
}

/** The socket of the one workspace that has a folder below `runtime`. */
function socketBelow(runtime) {
  const [workspace] = readdirSync(join(runtime, "raddle"));
  return join(runtime, "raddle", workspace, "socket");
}
