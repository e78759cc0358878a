// A client of the workspace's host, for what a test wants to know exactly: sessions as they stand, and the
// executions behind them. It is one more face beside the editor and the window.

import { readdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { until } from "./until.mjs";

/** A connection to a host. */
export class Host {
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting = new Map();
  #next = 1;
  #sessions = new Map();

  /** Connects to the one host below this runtime folder, once there is one. */
  static async connect(runtime) {
    const path = await until("the host's socket", () => socketBelow(runtime));
    // Only a client of the same build may ask for more than a hello: the host says which it is.
    const first = await new Host().#open(path);
    const { build } = await first.#hello("");
    first.close();
    const host = await new Host().#open(path);
    await host.#hello(build);
    const { sessions } = await host.request("raddle/sessions", {});
    sessions.forEach((state) => host.#keep(state));
    return host;
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
  session(what, state, patience = 60_000) {
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

/** The socket of the host whose folder lies below `runtime`, if there is one. */
function socketBelow(runtime) {
  try {
    const folder = join(runtime, "raddle");
    const found = readdirSync(folder).filter((name) => readdirSync(join(folder, name)).includes("socket"));
    return found.length > 0 && join(folder, found[0], "socket");
  } catch {
    return undefined;
  }
}
