import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { variableSetEnv } from "./variable-set-runner.ts";

const plain = { name: "MODE", value: "fast" };

describe.each(["Full", "Documented"] as const)("targets of a variable set, %s surface,", (surface) => {
  const env = variableSetEnv(surface);
  const targets = () => [env.target("web"), env.target("api")];

  it("that do not exist yet are waited for, and do not delay other targets", async () => {
    const web = { "spec.targets[0].applicationRef": env.web };
    const runner = env.set({ targets: targets(), variables: [plain] }, { ids: web });
    const why = { reason: "DependencyNotReady", message: expect.stringContaining('PlatformApplication "api"') };
    const waits = { ops: ["importVariables"], is: "waiting", why, status: { targetsSynced: "1/2" } };
    expect(await runner.settle()).toMatchObject(waits);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    Object.assign(runner.around, { ids: { ...web, "spec.targets[1].applicationRef": env.api } });
    const status = { targetsSynced: "2/2" };
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled", status });
  });

  it.each([
    [404, "ExternalResourceDeleted"],
    [403, "PermissionDenied"],
  ])("for which the platform answers %i are reported, and do not delay other targets", async (status, reason) => {
    env.harness.fault({ path: `/application/${env.web}/*` }, { is: "status", status }, { count: null });
    const runner = env.set({ targets: targets(), variables: [plain] });
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "stalled", why: { reason } });
    expect(env.harness.values(env.api)).toEqual({ MODE: "fast" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that the token may not read at all are a failure of the connection", async () => {
    env.harness.fault({ path: "/application/*" }, { is: "status", status: 403 }, { count: null });
    const runner = env.set({ targets: targets(), variables: [plain] });
    await expect(runner.run()).rejects.toMatchObject({ failure: { is: "Forbidden" } });
  });

  it("belong to one set, if it overwrites variables", async () => {
    const holderOf = (id: string) => (id === `${env.web}/MODE` ? 'PlatformVariableSet "shop/other"' : undefined);
    const held = await env.set({ variables: [plain], overwrite: true }).run({ holderOf });
    expect(held).toMatchObject({ ops: [], end: "stalled AlreadyManaged" });
    expect(held.why.message).toMatch(/^PlatformVariableSet "shop\/other" writes .* MODE/);
    expect(await env.set({ variables: [plain] }).settle({ holderOf })).toMatchObject({ ops: ["importVariables"] });
  });

  it("are refused if they have too many variables together", async () => {
    const many = Array.from({ length: 600 }, (_, index) => [`K${index}`, "1"]);
    const all = { "spec.variablesFrom[0]": Object.fromEntries(many) as Record<string, string> };
    const runner = env.set({ variablesFrom: [{ configMapRef: { name: "c" } }] }, { all });
    expect(await runner.run()).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
  });
});

describe("a target by id", () => {
  const elsewhere = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const byId = (externalId: string) => ({ targets: [{ applicationRef: { externalId } }], variables: [plain] });

  describe("on the Full surface", () => {
    const env = variableSetEnv("Full");
    const given = { ids: {} };

    it("is written if it belongs to the organization and to the connection's projects", async () => {
      const runner = env.set(byId(env.web), given);
      const allowedProjects = [elsewhere];
      expect(await runner.run({ allowedProjects })).toMatchObject({ ops: [], why: { reason: "PermissionDenied" } });
      expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled" });
      expect(await runner.run({ allowedProjects })).toMatchObject({ ops: [], why: { reason: "PermissionDenied" } });
      expect(await runner.run({ allowedProjects: [env.projectId] })).toMatchObject({ ops: [], is: "settled" });
    });

    it("[E11] keeps the recorded variables once the connection's projects leave it out", async () => {
      const allowedProjects = [elsewhere];
      const runner = await env.synced(byId(env.web), given);
      const emptied = await runner.run({ allowedProjects, spec: { ...byId(env.web), variables: [] } });
      expect(emptied).toMatchObject({ ops: [], end: "stalled PermissionDenied" });
      const gone = await runner.run({ allowedProjects, goal: "absent" });
      expect(gone).toMatchObject({ ops: [], end: "stalled NotObservable" });
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
    });

    it("[E11] keeps the recorded variables if its environment does not belong to the organization", async () => {
      const runner = await env.synced(byId(env.web), given);
      env.harness.fault("getApplication", { is: "edited", set: { "environment.id": elsewhere } });
      expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], end: "stalled NotObservable" });
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
    });

    it("[E11] keeps the recorded variables if nothing shows its environment, although unverified ids are allowed", async () => {
      const standing = { allowUnverifiedIds: true };
      const runner = env.set(byId(env.web), given);
      await runner.settle(standing);
      env.harness.fault("getApplication", { is: "edited", set: { environment: null } }, { count: null });
      expect(await runner.run({ ...standing, spec: { ...byId(env.web), variables: [] } })).toMatchObject({ ops: [] });
      const gone = await runner.run({ ...standing, goal: "absent" });
      expect(gone).toMatchObject({ ops: [], end: "stalled NotObservable" });
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
    });

    it("[E11] loses no variable of others by a forged status", async () => {
      env.foreign("THEIRS");
      const runner = await env.synced(byId(env.web), given);
      const [target] = runner.status()["targets"] as readonly JsonObject[];
      const owned = [
        { applicationId: target?.["applicationId"] ?? "", variables: [{ key: "THEIRS", digest: "forged" }] },
      ];
      runner.lose({ targets: [target ?? {}], writeLedger: { owned } });
      expect(await runner.settle({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
      expect(env.variable("THEIRS")?.value).toBe("theirs");
    });

    it("is refused if its environment does not belong to the organization", async () => {
      env.harness.fault("getApplication", { is: "edited", set: { "environment.id": elsewhere } });
      expect(await env.set(byId(env.web), given).run()).toMatchObject({ ops: [], why: { reason: "InvalidSpec" } });
    });
  });

  describe("on the Documented surface", () => {
    const env = variableSetEnv("Documented");

    it("is refused unless the connection allows unverified ids", async () => {
      const runner = env.set(byId(env.web), { ids: {} });
      expect(await runner.run({ allowUnverifiedIds: false })).toMatchObject({ ops: [], end: "stalled NotObservable" });
      expect((await runner.run()).ops).toEqual(["importVariables"]);
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
    });

    it("[E11] is refused whatever the status records about it", async () => {
      const runner = await env.synced(byId(env.web), { ids: {} });
      const spec = { ...byId(env.web), variables: [{ name: "MODE", value: "slow" }] };
      const refused = await runner.run({ spec, allowUnverifiedIds: false });
      expect(refused).toMatchObject({ ops: [], why: { reason: "NotObservable" } });
    });
  });
});
