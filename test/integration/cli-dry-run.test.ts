import { beforeAll, expect, it } from "vitest";

import { PAUSED } from "../../src/api/names.ts";
import { application } from "../support/kube/manifests.ts";
import { createCliEnv } from "./cli-env.ts";

const user = createCliEnv("documented");
const COMMIT = "abcdef1";
const ID = "5f0c0a5e-3b0e-4a57-9d13-0c6f7a9b2c11";
const PLAN = { hash: "h1", generation: 1, actions: [{ operation: "deployApplication", commit: COMMIT }] };
const DEPLOYED = { gitCommitId: COMMIT, state: "DEPLOYED", finishedAt: "2026-11-30T10:00:00Z" };

/** An application that can be rolled back, whose plan waits; one that is paused and has no id; their versions. */
const NAMES = ["api", "held"];
const versions = async (): Promise<readonly unknown[]> =>
  Promise.all(NAMES.map(async (name) => (await user.get("PlatformApplication", name)).metadata.resourceVersion));

beforeAll(async () => {
  await user.apply(application("held", "staging"));
  await user.patch("PlatformApplication", "held", { metadata: { annotations: { [PAUSED]: "true" } } });
  const status = { plan: PLAN, lastDeployment: DEPLOYED };
  await user.patch("PlatformApplication", "api", { status }, "status");
});

it.each([
  ["deploy", ["papp/api", COMMIT]],
  ["rollback", ["papp/api"]],
  ["reconcile", ["papp/api"]],
  ["approve", ["papp/api"]],
  ["resolve", ["papp/held", "--id", ID]],
  ["pause", ["papp/api"]],
  ["resume", ["papp/held"]],
] as const)(
  "kubectl platform %s --dry-run=server says what it would write, and writes nothing",
  async (command, argv) => {
    const before = await versions();
    const { code, stdout, stderr } = await user.run([command, ...argv, "--dry-run=server"]);
    expect(stdout || stderr).toMatch(new RegExp(`^\\S+/${user.namespace}/${argv[0]} .+ \\(server dry run\\)\n$`));
    expect(code).toBe(0);
    expect(await versions()).toEqual(before);
  },
);
