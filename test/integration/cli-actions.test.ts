import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import type { Clock } from "../../src/kube/api/types.ts";
import { NEXT_COMMIT } from "../support/kube/manifests.ts";
import { ending } from "../support/programs/cli.ts";
import { createCliEnv } from "./cli-env.ts";

/** A user, and what their last command called. */
function createUser(surface: Surface) {
  const user = createCliEnv(surface);
  beforeEach(() => {
    user.world.simulator.sim.journal.clear();
    user.world.simulator.sim.faults.clear();
  });
  return {
    user,
    effects: () => user.world.calls().flatMap((call) => call.effects),
    operations: () => user.world.calls().map(({ operation }) => operation),
    lastCall: () => user.world.calls().at(-1),
    /** Changes members of all answers of an operation. */
    edit: (operation: string, set: Readonly<Record<string, unknown>>) =>
      user.world.simulator.sim.faults.add({ match: { operation }, answer: { is: "edited", set }, count: null }),
  };
}

describe.each(["documented", "full"] as const)("a command that changes the platform, %s surface", (surface) => {
  const { user, effects, lastCall } = createUser(surface);

  it("deploys a commit, and warns that the commit differs from the spec", async () => {
    const { applicationId } = user.world;
    const argv = ["deploy", "papp/api", `--commit=${NEXT_COMMIT}`, "-o", "name"];
    const drift = /names commit 0123456\w+: the operator will report this deployment as drift/;
    expect(await user.run(argv)).toEqual(ending(0, `application/${applicationId}\n`, drift));
    expect(effects()).toEqual([{ deployed: applicationId, commit: NEXT_COMMIT, request: expect.any(String) }]);
  });

  it("imports a .env file with its secrets as secrets, and prints no value", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "cli-")), "import.env");
    await writeFile(file, '# comment\nFIRST="one value"\nSECOND=quite-secret\n');
    const table = "KEY      SECRET   IMPORTED\nFIRST    false    true\nSECOND   true     true\n";
    const said = "Imported 2 of 2. They take effect with the next deployment.\n";
    expect(await user.run(["env", "import", "api", "-f", file, "--secret", "SECOND"])).toEqual(ending(0, table, said));
    const scope = surface === "full" ? { scope: "APPLICATION" } : {};
    expect(lastCall()?.body).toEqual({
      overwrite: false,
      vars: [
        { name: "FIRST", value: expect.anything(), is_secret: false, ...scope },
        { name: "SECOND", value: expect.anything(), is_secret: true, ...scope },
      ],
    });
  });

  it.each([
    ["variables", "createApplicationVariable"],
    ["secrets", "createApplicationSecret"],
  ])("sets one of the %s, and changes its value where the platform can", async (group, operation) => {
    const set = (value: string) => user.run([group, "set", "api", `${group.toUpperCase()}_X`], { stdin: `${value}\n` });
    const first = await set("value-one");
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(lastCall()).toMatchObject({ operation, status: surface === "full" ? 201 : 200 });
    const second = await set("value-two");
    expect(JSON.stringify([first, second])).not.toContain("value-");
    const [code, said, verb] = {
      full: [0, /is changed/, "update"] as const,
      documented: [1, /Use "kubectl platform env import" with --overwrite/, "list"] as const,
    }[surface];
    expect(second).toMatchObject({ code, stderr: expect.stringMatching(said) });
    const last = operation.replace("create", verb);
    expect(lastCall()?.operation).toBe(verb === "list" ? `${last}s` : last);
  });
});

describe("a command that changes the platform, documented surface", () => {
  const { user, effects, operations, lastCall, edit } = createUser("documented");
  /** A commit whose deployment does not end. */
  const SLOW = "5101010";

  it.each([
    ["0 when the deployment succeeds", NEXT_COMMIT, [], 0, /^The platform reports DEPLOYED\.\n$/],
    [
      "1 and the last lines of the log when the deployment fails",
      "bad0001",
      [],
      1,
      /BUILD_ERROR\.\n(\| .*\n)+It ended in BUILD_ERROR\.\n$/,
    ],
    [
      "3 when the timeout passes",
      SLOW,
      ["--timeout=10ms"],
      3,
      /The timeout has passed, and the platform continues\. AGAIN$/,
    ],
    ["130 on Ctrl-C", SLOW, [], 130, /The platform continues\. AGAIN$/],
  ])("that waits for a deployment exits with %s", async (_, commit, flags, wanted, said) => {
    if (commit === SLOW) edit("getDeploymentStatusByRequest", { status: "BUILDING" });
    const argv = ["deploy", user.world.applicationId, `--commit=${commit}`, "--wait", ...flags];
    const { code, stderr } = await user.run(argv, wanted === 130 ? { signal: AbortSignal.abort() } : {});
    expect(code).toBe(wanted);
    const again = /Check again with: kubectl platform deployment [-\w]{36}\n$/;
    expect(stderr.replace(again, "AGAIN")).toMatch(said);
  });

  it("polls the state of the service where the platform's answer names no deployment request", async () => {
    edit("deployApplication", { deployment_request_id: null });
    const ended = await user.run(["deploy", user.world.applicationId, `--commit=${NEXT_COMMIT}`, "--wait"]);
    expect(ended).toMatchObject({ code: 0, stderr: "The platform reports DEPLOYED.\n" });
    expect(operations()).not.toContain("getDeploymentStatusByRequest");
  });

  it("stops a database and starts it again, and waits for both with --wait", async () => {
    const { databaseId } = user.world;
    const stopped = await user.run(["database", "stop", databaseId, "--wait"]);
    expect(stopped).toMatchObject({ code: 0, stderr: "The platform reports STOPPED.\n" });
    const deployed = await user.run(["database", "deploy", databaseId, "--wait"]);
    expect(deployed).toMatchObject({ code: 0, stderr: "The platform reports DEPLOYED.\n" });
    expect(effects()).toMatchObject([{ stopped: databaseId }, { deployed: databaseId }]);
  });

  it("exits with 1 when the platform did not import all variables", async () => {
    edit("importEnvironmentVariable", { successful_imported_variables: [] });
    const ended = await user.run(["env", "import", "api", "-f", "-", "-o", "name"], { stdin: "THIRD=3\n" });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("Imported 0 of 1.") });
  });

  it("asks for confirmation before it stops or upgrades a cluster", async () => {
    const [first, second] = user.world.clusterIds;
    const blind = await user.run(["cluster", "stop", second]);
    expect(blind).toMatchObject({ code: 64, stderr: expect.stringContaining("Add --yes") });
    const no = await user.run(["cluster", "stop", second], { isTTY: true, stdin: "n\n" });
    const said = /everything that runs on it.*\n.*Canceled: nothing was changed/;
    expect(no).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
    expect(operations()).toEqual([]);
    const yes = await user.run(["cluster", "upgrade", first], { isTTY: true, stdin: "yes\n" });
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining("DEPLOYMENT_QUEUED") });
    const stopped = await user.run(["cluster", "stop", second, "--yes", "-o", "name"]);
    expect(stopped).toMatchObject({ code: 0, stdout: `cluster/${second}\n` });
    expect(effects()).toMatchObject([{ upgraded: first }, { stopped: second }]);
  });

  it("passes every parameter of the metrics to the platform", async () => {
    const flags = [
      ...["--endpoint=query_range", "--start=1", "--end=2", "--step=3s", "--time=4", "--timeout=5s", "--dedup=true"],
      ...["--partial-response=false", "--max-source-resolution=6s", "--engine=thanos", "--analyze=true", "--range=7m"],
      ...["--board-short-name=board", "--metric-short-name=metric", "--trace-id=trace"],
      '--query=sum(rate(x{a="b"}[5m])) & more',
    ];
    const [cluster] = user.world.clusterIds;
    const { code, stdout } = await user.run(["cluster", "metrics", cluster, ...flags]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "success" });
    const { searchParams } = new URL(lastCall()?.path ?? "", "http://platform");
    const sent = [...searchParams].map(([name, value]) => `--${name.replaceAll("_", "-")}=${value}`);
    expect(new Set(sent)).toEqual(new Set(flags));
    const yaml = await user.run(["cluster", "metrics", cluster, "--endpoint=query", "--query=up", "-o", "yaml"]);
    expect(yaml.stdout).toContain("status: success\n");
  });

  it("has the platform send the invoices by e-mail", async () => {
    expect(await user.run(["invoices", "send"])).toEqual(ending(0, "", /by e-mail/));
    expect(effects()).toEqual([{ mailed: expect.any(String) }]);
  });

  it.each([
    ["as it is into a pipe", false, "a\u001B[2Jb\tc\u0007\n"],
    ["without what could change a terminal", true, "ab\tc\n"],
  ])("prints a log %s", async (_, shown, stdout) => {
    edit("listApplicationLog", { "results.0.message": "a\u001B[2Jb\tc\u0007" });
    expect(await user.run(["logs", "api", "--tail=1"], { shown })).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("prints a log of an unknown structure as it is", async () => {
    const answer = { is: "status", status: 200, body: { lines: ["one"] } } as const;
    user.world.simulator.sim.faults.add({ match: { operation: "listApplicationLog" }, answer });
    expect(await user.run(["logs", "api"])).toEqual({ code: 0, stdout: '{"lines":["one"]}\n', stderr: "" });
  });

  it("follows a log through failed reads, and prints each line once", async () => {
    const { simulator, applicationId } = user.world;
    const service = simulator.world().services.get(applicationId);
    if (service === undefined) throw new Error("the application is there");
    const lines = (...messages: readonly string[]) =>
      messages.map((message) => ({ id: message, createdAt: new Date(0).toISOString(), message }));
    service.log = lines("one", "two", "two");
    const ctrlC = new AbortController();
    let shown = "";
    const running = user.run(["logs", "api", "--tail=2", "-f"], {
      signal: ctrlC.signal,
      clock: hurried(),
      onStdout: (text) => (shown += text),
    });
    await expect.poll(() => shown).toBe("two\ntwo\n");
    // The client itself tries a read three times.
    const unavailable = { is: "status", status: 503 } as const;
    simulator.sim.faults.add({ match: { operation: "listApplicationLog" }, answer: unavailable, count: 3 });
    service.log = [...service.log, ...lines("two", "\u001B[31mthree")];
    await expect.poll(() => shown, { timeout: 20_000 }).toBe("two\ntwo\ntwo\n\u001B[31mthree\n");
    ctrlC.abort();
    const stderr = expect.stringMatching(/^The log cannot be read now .*\n$/);
    expect(await running).toMatchObject({ code: 0, stderr });
  });
});

/** Time passes ten times as fast: five seconds between two looks at a log are half a second. */
function hurried(): Clock {
  const clock = systemClock();
  return { ...clock, monotonic: () => clock.monotonic() * 10, after: (ms, run) => clock.after(ms / 10, run) };
}
