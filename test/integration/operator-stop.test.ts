import { describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID, INTENT } from "../../src/api/names.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { callsIn } from "../support/platform/calls.ts";

describe("the operator on SIGTERM", () => {
  const env = createEnv({ surface: "documented", args: ["--log-level=debug"] });

  /** Waits until the platform has received the create of a project, which it answers later. */
  const creating = async (name: string, seconds: number): Promise<void> => {
    env.platform.sim.faults.add({ name, match: { operation: "createProject" }, answer: { is: "slow", seconds } });
    await env.apply(...defaults(env), project(name));
    const received = () => callsIn(env.platform.journal()).map(({ fault }) => fault);
    await vi.waitFor(() => expect(received()).toContain(name), { timeout: 20_000, interval: 20 });
    const { annotations } = (await env.get("PlatformProject", name)).metadata;
    expect(annotations).toHaveProperty([INTENT]);
    expect(annotations).not.toHaveProperty([EXTERNAL_ID]);
  };

  it("[A7] waits for the answer to a create that is under way, and records the id", async () => {
    await creating("shop", 2);
    const { operator } = env;
    await env.stop();
    const calls = callsIn(env.platform.journal()).filter(({ operation }) => operation === "createProject");
    expect(calls).toHaveLength(1);
    const { annotations } = (await env.get("PlatformProject", "shop")).metadata;
    expect(annotations).toHaveProperty([EXTERNAL_ID]);
    expect(annotations).not.toHaveProperty([INTENT]);
    const log = operator.logs().map((line) => JSON.stringify(line));
    expect(log.at(-1)).toContain('"stopped"');
    expect(log).toContainEqual(expect.stringMatching(/"changed the platform".*"createProject"/));
  });

  it("exits with 1 at once on a second signal, although a create is under way", async () => {
    await env.start();
    await creating("slow", 7);
    const { operator } = env;
    const stopping = operator.stop();
    // At the log level "debug", lines of what is under way may follow.
    const messages = () => operator.logs().map(({ message }) => message);
    await vi.waitFor(() => expect(messages()).toContain("stopping"));
    await operator.stop();
    expect(await stopping).toEqual({ code: 1, signal: null });
    expect(messages()).not.toContain("stopped");
    await env.kill();
  });
});
