/**
 * A platform that a tenant's connection names answers with bodies that cost as much as possible to read. The operator
 * runs with the heap that the chart gives it; the other tenant keeps being served.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { createEnv } from "../support/env/env.ts";
import { expectSettled, TREE } from "../support/env/settling.ts";
import { connection, defaults, deploying, NEXT_COMMIT, secret, tree } from "../support/kube/manifests.ts";
import { type Answer, startScriptedServer } from "../support/kube/scripted-server.ts";
import { figure } from "../support/platform/figure.ts";

const MIB = 1024 * 1024;
const ID = "00000000-0000-4000-8000-00000000000a";

/** Repeats a piece until the text has about that many bytes. */
const repeated = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
/** `{"results":[…]}` of about that many bytes, with one item again and again. */
const listOf = (item: string, bytes: number): string => `{"results":[${repeated(`${item},`, bytes)}${item}]}`;
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const manyMembers = (bytes: number): string =>
  Array.from({ length: Math.floor(bytes / 14) }, (_, index) => `"m${String(index)}":"no"`).join(",");

/** Writes a piece again and again until the client ends the connection. */
const endless =
  (status: number, piece: string): Answer =>
  (response) => {
    response.writeHead(status);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  };
const drip: Answer = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 10);
  response.on("close", () => {
    clearInterval(timer);
  });
};
/** Sends each byte as a chunk of its own (RFC 9112 §7.1). */
const inChunksOfOneByte =
  (body: string): Answer =>
  ({ socket }) => {
    socket?.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    socket?.end(`${body.replaceAll(/[^]/g, "1\r\n$&\r\n")}0\r\n\r\n`);
  };

const project = (name: string): string => `{"id":"${ID}","name":"${name}"}`;

const ANSWERS: readonly (readonly [what: string, answer: Answer])[] = [
  ["1.5 MB of empty items", { body: listOf("{}", 1.5 * MIB) }],
  ["4 MiB of empty items", { body: listOf("{}", 4 * MIB - 100) }],
  ["1.5 MB of well-formed items", { body: listOf(project("a"), 1.5 * MIB) }],
  ["1.5 MB of items with malformed members", { body: listOf(`{"id":"${ID}","name":"a","description":1}`, 1.5 * MIB) }],
  ["4 MiB of numbers", { body: listOf("0", 4 * MIB - 100) }],
  ["4 MiB of long numbers", { body: listOf("1234567890123456789", 4 * MIB - 100) }],
  ["a number of 4 MiB", { body: `{"results":[],"total":${repeated("9", 4 * MIB - 100)}}` }],
  ["a name of 4 MiB", { body: `{"results":[${project(repeated("a", 4 * MIB - 200))}]}` }],
  ["a name of escapes", { body: `{"results":[${project(repeated(String.raw`\u0000`, 4 * MIB - 200))}]}` }],
  ["lists nested two million deep", { body: `{"results":${nested("[", "]", 2 * MIB - 100)}}` }],
  ["objects nested very deep", { body: `{"results":[${`{"a":`.repeat(700_000)}1${"}".repeat(700_000)}]}` }],
  ["an object of 300,000 members", { body: `{"results":[],${manyMembers(4 * MIB - 1_000)}}` }],
  ["an errors object of 4 MiB", { status: 400, body: `{"errors":{${manyMembers(4 * MIB - 1_000)}}}` }],
  ["an errors list of 4 MiB", { status: 422, body: `{"errors":[${repeated("{},", 4 * MIB - 100)}{}]}` }],
  ["a message of 4 MiB", { status: 500, body: `{"message":"${repeated("a\u202e", 1.3 * MIB)}"}` }],
  ["a success without an end", endless(200, " ".repeat(65_536))],
  ["a failure without an end", endless(404, "x".repeat(65_536))],
  ["a body of one blank every 10 ms", drip],
  ["1.5 MB in chunks of one byte", inChunksOfOneByte(listOf(project("a"), 1.5 * MIB))],
];

describe("a tenant's platform that answers with bodies that are expensive to read", () => {
  const env = createEnv({ surface: "full", more: ["b"], memoryMiB: 512, deadlines: { readMs: 3_000 } });
  let second: Simulator | undefined;
  const theirs = (): Simulator => second ?? expect.fail("the second platform runs from beforeAll on");

  beforeAll(async () => {
    second = await startSimulator({ surface: "full", speed: 100 });
    await env.apply(...defaults(env, { surface: "Full" }), ...tree(env, "good"));
    await expectSettled(env, "good");
  });
  afterAll(() => second?.close());

  /** Deploys another commit of the first tenant's application and waits until it is Ready. */
  const expectOtherServed = async (why: string): Promise<void> => {
    const { metadata } = await env.get("PlatformApplication", "good");
    const commit = `${NEXT_COMMIT.slice(0, 36)}${String(metadata.generation).padStart(4, "0")}`;
    await env.patch("PlatformApplication", "good", deploying(commit));
    expect((await env.waitFor("PlatformApplication", "good", { status: "True" })).metadata.name, why).toBe("good");
    await expectAlive();
  };
  /** Waits for `done`, or fails with the operator's last output when the operator ends before. */
  const whileItRuns = <T>(done: PromiseLike<T>): Promise<T> => {
    const { exited, output } = env.operator;
    return Promise.race([
      done,
      exited.then((how) => expect.fail(`the operator ended (${JSON.stringify(how)}): ${output().slice(-1_500)}`)),
    ]);
  };
  const expectAlive = async (): Promise<void> => {
    const { healthUrl } = env.operator;
    expect((await fetch(`${healthUrl}/healthz`)).status).toBe(200);
  };

  it.each(ANSWERS)("[E5] does not keep the other tenant waiting: %s", async (what, answer) => {
    const b = env.at("b");
    const server = await startScriptedServer();
    server.script(answer);
    const name = what.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    await b.apply(secret(name, { token: "their-token" }), connection(env, name, { baseUrl: server.url }));
    await whileItRuns(b.waitFor("PlatformConnection", name, { status: "False" }));
    await whileItRuns(expectOtherServed(what));
    await b.remove("PlatformConnection", name);
    await server.stop();
  });

  it("[E5] does not keep the other tenant waiting on twenty connections at once", async ({ task }) => {
    const b = env.at("b");
    const server = await startScriptedServer();
    server.script({ body: listOf("{}", 1.5 * MIB) });
    const names = Array.from({ length: 20 }, (_, index) => `crowd-${String(index)}`);
    await b.apply(
      secret("crowd", { token: "their-token" }),
      ...names.map((name) =>
        connection(env, name, { baseUrl: server.url, auth: { tokenSecretRef: { name: "crowd" } } }),
      ),
    );
    await whileItRuns(expectOtherServed("twenty connections"));
    for (const name of names) await whileItRuns(b.waitFor("PlatformConnection", name, { status: "False" }));
    await expectOtherServed("twenty connections, all of them read");
    for (const name of names) await b.remove("PlatformConnection", name);
    await server.stop();
    figure(task, `${String(names.length)} connections, ${String(server.arrived.length)} answers of 1.5 MB`);
  });

  describe("for the reads of objects that were Ready", () => {
    beforeAll(async () => {
      const b = env.at("b");
      const at = { platform: theirs() };
      await b.apply(
        secret("theirs", { token: theirs().tokens.admin }),
        connection(at, "theirs", { surface: "Full" }),
        ...tree(at, "theirs", { connectionRef: { name: "theirs" } }),
      );
      for (const kind of TREE) await b.waitFor(kind, "theirs", { status: "True" });
    });

    it.each([
      ["1.5 MB of empty items", 200, listOf("{}", 1.5 * MIB)],
      ["an object of 100,000 members", 200, `{"id":"${ID}","name":"a","state":"a",${manyMembers(1.5 * MIB)}}`],
      ["lists nested deep", 200, `{"id":"${ID}","results":${nested("[", "]", MIB)}}`],
      ["an errors object of 4 MiB", 400, `{"errors":{${manyMembers(4 * MIB - 1_000)}}}`],
    ])("[E5] does not keep the other tenant waiting: %s", async (what, status, body) => {
      const b = env.at("b");
      const since = theirs().journal().length;
      const answer = { is: "status", status, body } as const;
      // Not those of the connection's probe: without a connection, nothing else is read.
      for (const path of ["/application/*", "/environment/*"])
        theirs().sim.faults.add({ name: "costly", match: { method: "GET", path }, count: null, answer });
      for (const kind of TREE) await b.annotate(kind, "theirs", { [RECONCILE_REQUESTED_AT]: what });
      const met = (): number =>
        theirs()
          .journal()
          .slice(since)
          .filter((entry) => entry.is === "call" && entry.fault === "costly").length;
      await whileItRuns(expect.poll(met).toBeGreaterThan(0));
      await whileItRuns(expectOtherServed(what));
      theirs().sim.faults.clear("costly");
      for (const kind of TREE) await b.waitFor(kind, "theirs", { status: "True" });
    });
  });
});
