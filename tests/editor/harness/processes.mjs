// Processes that a test starts, and everything that those start.
//
// Each run has a mark in its environment, which children inherit however they detach themselves. So a
// test can say whether something of it still runs, and end it.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.mjs";

const MARK = "RADDLE_TEST_RUN";

/** A family of processes: those started here, and their descendants. */
export class Family {
  #mark = randomUUID();

  /** The environment of a member: this process's own, what is given, and the mark. */
  environment(more = {}) {
    return { ...process.env, ...more, [MARK]: this.#mark };
  }

  /** Starts a program that ends with this process. Its output is piped. */
  start(program, args, { env, cwd } = {}) {
    // The death signal is that of a thread; node starts children from its main thread.
    return spawn("setpriv", ["--pdeathsig", "KILL", "--", program, ...args], {
      cwd,
      env: this.environment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** The members that still run, as `{pid, parent, command}`. */
  members() {
    const entry = `${MARK}=${this.#mark}\0`;
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const all = pids.map((pid) => ({ pid: Number(pid), parent: parent(pid), command: command(pid) }));
    const found = new Set(all.map(({ pid }) => pid).filter((pid) => read(`/proc/${pid}/environ`).includes(entry)));
    // Children with an environment of their own, such as runners; those are younger than their parents.
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
    // A process that is ending has no command.
    return all.filter(({ pid, command }) => found.has(pid) && command !== "");
  }

  /** Waits until no member runs; those that still do after `patience` are killed, and named in the error. */
  async gone(patience = 20_000) {
    try {
      await until("every process to end", () => this.members().length === 0, { patience });
    } catch {
      const left = this.members();
      this.kill();
      throw new Error(`still running after the end:\n${left.map((m) => `  ${m.pid} ${m.command}`).join("\n")}`);
    }
  }

  /** Kills every member. */
  kill() {
    for (const { pid } of this.members()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It was faster.
      }
    }
  }
}

function command(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
}

/** The number of a process's parent. */
function parent(pid) {
  return Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

/** A file's text; empty when it cannot be read, since processes end at any time. */
function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
