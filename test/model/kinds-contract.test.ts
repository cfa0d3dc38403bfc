import { describe, expect, it } from "vitest";

import { operationOf, type OperationId, type Surface, surfaces } from "../../simulator/base/operations.ts";
import { APPROVED_PLAN } from "../../src/api/names.ts";
import type { Kind } from "../../src/engine/contract/kind.ts";
import { planIn } from "../../src/engine/policies/policy-status.ts";
import { CONNECTIONS, createKinds, type KindName } from "../../src/kinds/index.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { isSupported } from "../../src/platform/codec/operations.ts";
import { SAMPLES } from "../samples/index.ts";
import { ID, type Sample } from "../samples/sample.ts";
import { effort } from "../support/env/effort.ts";
import { idOf } from "../support/env/settling.ts";
import { connection, tree } from "../support/kube/manifests.ts";
import { MINUTE } from "../support/platform/durations.ts";
import { settledEnv } from "../support/platform/operator-env.ts";

/** Several polls; an operation that the platform lacks is tried again after an hour. */
const REST = effort.cases(25, 120) * MINUTE;
const TREE = "tree";
const TRUE: unknown = expect.stringMatching(/^True/);
/** The goal, where the platform shows it and where it does not. */
const REACHED: unknown = expect.stringMatching(/^(True|Unknown\/NotObservable)/);
const FALSE: unknown = expect.stringMatching(/^(False|Unknown)/);
const UNSUPPORTED: unknown = expect.stringMatching(/^False\/NotSupported/);
const AT_LEAST_ONE: unknown = expect.arrayContaining([expect.any(String)]);
/** The result of an operation that the surface lacks. */
const NOT_SUPPORTED = { ready: UNSUPPORTED, writes: [] };
/** A kind of connections writes nothing, and has none of the members that only other kinds have. */
const KINDS: Readonly<Record<KindName, Pick<Kind, "resource" | "operations" | "listable">>> = {
  ...CONNECTIONS,
  ...createKinds(),
};

/**
 * The tests that all kinds share, with the sample of one kind: its object is created once, then left alone, changed,
 * kept, adopted and deleted, as far as the kind supports it. An operation that the surface lacks is reported, not sent.
 */
function kindContract(kind: KindName, sample: Sample): void {
  const { changes = [], refused, smallest, writes } = sample;
  const behavior = KINDS[kind];
  const parsed = (spec: JsonObject) => behavior.resource.spec.safeParse(spec).data as JsonObject | undefined;
  const tokens = { admin: "", read: "", write: "", deploy: "", foreign: "" };
  const platform = { url: "https://platform.example.com", organizationId: ID, clusterIds: [ID, ID], tokens };
  const good = sample.good({ env: { platform }, name: "one", tree: TREE })["spec"] as JsonObject;
  const canAdopt = good["externalId"] === undefined && parsed({ ...good, externalId: ID })?.["externalId"] === ID;
  const doomed = parsed({ ...good, lifecycle: { deletionPolicy: "Delete" } });
  const removals = doomed && behavior.operations?.(doomed).delete;

  describe.each(surfaces)(`${kind} on the %s surface`, (surface) => {
    const isFull = surface === "full";
    const isOffered = (ids: readonly OperationId[]) => areOffered(ids, surface);

    it("is created once and then not written, and is refused with an invalid spec", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      for (const [title, over] of refused.slice(0, 1)) {
        const invalid = await applied("refused", { ...smallest, ...over } as JsonObject);
        expect(env.summary(kind, "refused"), title).toContain("InvalidSpec");
        expect(invalid.writes, title).toEqual([]);
      }
      const made = await applied("one", specOf("one"));
      expect(made).toEqual(isOffered(writes) ? { ready: REACHED, writes: writes.toSorted() } : NOT_SUPPORTED);
      const [{ metadata }, baseline] = [env.get(kind, "one"), env.baseline()];
      // An operation that the platform lacks is tried again after an hour.
      await env.run(isOffered(writes) ? REST : 30 * MINUTE);
      expect(env.get(kind, "one").metadata).toEqual(metadata);
      expect(env.writes(baseline), "writes while nothing changes").toEqual([]);
    });

    /** Creates the object and changes its spec. @returns the result of the change, and two conditions after it */
    async function change() {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const spec = specOf("one");
      await applied("one", spec);
      const changed = await applied("one", { ...spec, ...sample.change?.({ env, name: "one", tree: TREE }) });
      const stalled = env.condition(kind, "one", "Stalled");
      const settingsSynced = env.condition(kind, "one", "SettingsSynced");
      const baseline = env.baseline();
      await env.run(REST);
      expect(env.writes(baseline).filter(Boolean), "writes while nothing changes").toEqual([]);
      return { ...changed, stalled, settingsSynced };
    }

    const isChanged = sample.change !== undefined && isOffered(writes);
    const can = changes.length > 0 && isOffered(changes);
    const areSettings = changes.length === 0 || changes.some((operation) => operation.startsWith("update"));

    it.runIf(isChanged && can)("is changed once when its spec changes", async () => {
      const result = await change();
      expect(result).toEqual({ ready: REACHED, writes: changes.toSorted(), stalled: "", settingsSynced: "" });
    });

    it.runIf(isChanged && !can && areSettings)("names the settings that cannot be changed", async () => {
      const settingsSynced = "False/UpdateNotSupported";
      expect(await change()).toEqual({ ready: REACHED, writes: [], stalled: "", settingsSynced });
    });

    it.runIf(isChanged && !can && !areSettings)("says why the platform cannot change it", async () => {
      expect(await change()).toEqual({ ...NOT_SUPPORTED, stalled: TRUE, settingsSynced: "" });
    });

    it.runIf(canAdopt && isOffered(writes))("is kept on a deletion, and adopted by id or name", async () => {
      const { env, specOf, applied, removed } = await stage(kind, sample, surface);
      const spec = specOf("kept");
      await applied("kept", spec);
      const id = idOf(env.get(kind, "kept"));
      const given = { ...spec, externalId: id };
      const second = await applied("second", given);
      expect(second).toEqual({ ready: expect.stringContaining("AlreadyManaged"), writes: [] });
      expect(env.condition(kind, "second", "Stalled")).toEqual(TRUE);
      expect(await removed("second"), "writes for the deletion of the second resource").toEqual([]);
      expect(await removed("kept"), "writes for the deletion").toEqual([]);
      // Nothing shows which commit runs: it is deployed once.
      const isUnknown = kind === "PlatformApplication" && surface === "documented";
      const adopted = { ready: REACHED, writes: isUnknown ? ["deployApplication"] : [] };
      expect(await applied("by-id", given), "adopted by its id").toEqual(adopted);
      expect(idOf(env.get(kind, "by-id"))).toBe(id);
      expect(await removed("by-id"), "writes for the deletion").toEqual([]);
      const isListed = behavior.listable?.(isFull);
      const lifecycle = isListed === undefined ? { managementPolicy: "ObserveOnly" } : { adoptionPolicy: "Required" };
      const byName = await applied("by-name", { ...spec, lifecycle });
      expect(byName, "adopted by its name").toEqual({ ready: isListed === true ? REACHED : FALSE, writes: [] });
      expect(idOf(env.get(kind, "by-name"))).toBe(isListed === true ? id : "");
    });

    it.runIf(removals !== undefined && isOffered(writes))("is deleted where the platform can", async () => {
      const { specOf, applied, removed } = await stage(kind, sample, surface);
      await applied("doomed", { ...specOf("doomed"), lifecycle: { deletionPolicy: "Delete" } });
      const deletes = (await removed("doomed")).filter((name) => name.startsWith("delete"));
      const canDelete = removals?.every((name) => isSupported(name, isFull));
      expect(deletes).toEqual(canDelete === true ? AT_LEAST_ONE : []);
    });
  });
}

/**
 * Tests of policies with the sample of one kind: blocked operations are not sent, and each is sent once after the
 * policies allow it. Kinds that never write have no such tests. ObserveOnly of every kind:
 * test/hostile/generated-changes.test.ts.
 */
function policyContract(kind: KindName, sample: Sample): void {
  const writes = sample.writes.toSorted();
  const served = surfaces.filter((surface) => writes.length > 0 && areOffered(sample.writes, surface));

  // The policies are the engine's: make test tries them on one surface.
  describe.each(effort.few(served))(`the policies of ${kind} on the %s surface`, (surface) => {
    it("CreateOnly: writes nothing after the creation, whatever changes in the spec", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const lifecycle = { managementPolicy: "CreateOnly", applyPolicy: "Automatic" };
      const spec = { ...specOf("once"), lifecycle };
      expect(await applied("once", spec)).toEqual({ ready: REACHED, writes });
      const change = sample.change?.({ env, name: "once", tree: TREE });
      const changed = await applied("once", { ...spec, ...change });
      expect(changed.writes).toEqual([]);
      expect(member(env.get(kind, "once").status, "observedGeneration")).toBe(2);
    });

    it("Manual: writes nothing before the plan is approved, and then what the plan says, once", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const baseline = env.baseline();
      const planned = await applied("manual", { ...specOf("manual"), lifecycle: { applyPolicy: "Manual" } });
      expect(planned).toEqual({ ready: expect.stringContaining("ApprovalPending"), writes: [] });
      for (let approvals = 0; approvals < 3 && planIn(env.get(kind, "manual")) !== undefined; approvals += 1) {
        env.cluster.annotate(kind, "manual", { [APPROVED_PLAN]: planIn(env.get(kind, "manual"))?.hash ?? null });
        await env.run(20 * MINUTE);
      }
      expect(env.condition(kind, "manual")).toEqual(REACHED);
      expect(env.writes(baseline).toSorted()).toEqual(writes);
    });
  });
}

const areOffered = (ids: readonly OperationId[], surface: Surface): boolean =>
  surface === "full" || ids.every((id) => operationOf(id).surface === "documented");

async function stage(kind: KindName, sample: Sample, surface: Surface) {
  const trusting = { allowUnverifiedIds: true };
  const env = await settledEnv((env) => [connection(env, "default", trusting), ...tree(env, TREE)], { surface });
  /** Returns the served writes. An operation that the platform lacks may be tried once. */
  const servedSince = (baseline: number): readonly string[] => {
    const asked = env.writes(baseline);
    const served = asked.filter(Boolean);
    expect(asked.length - served.length).toBeLessThanOrEqual(1);
    return served;
  };
  const manifestOf = (name: string) => sample.good({ env, name, tree: TREE });
  return {
    env,
    specOf: (name: string): JsonObject => manifestOf(name)["spec"] as JsonObject,
    /** Applies and waits. @returns the condition Ready, and the writes for it */
    applied: async (name: string, spec: JsonObject) => {
      const baseline = env.baseline();
      env.apply({ ...manifestOf(name), spec });
      await env.run(20 * MINUTE);
      return { ready: env.condition(kind, name), writes: servedSince(baseline).toSorted() };
    },
    removed: async (name: string): Promise<readonly string[]> => {
      const baseline = env.baseline();
      env.cluster.remove(kind, name);
      await env.run(10 * MINUTE);
      expect(env.cluster.find(kind, name), `${name} is gone`).toBeUndefined();
      return servedSince(baseline);
    },
  };
}

for (const [kind, sample] of Object.entries(SAMPLES)) {
  kindContract(kind as KindName, sample);
  policyContract(kind as KindName, sample);
}
