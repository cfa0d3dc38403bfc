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

    it("is brought about once and left in peace, and refused where its spec is wrong", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      for (const [title, over] of refused.slice(0, 1)) {
        const [, asked] = await applied("refused", { ...smallest, ...over } as JsonObject);
        expect([env.summary(kind, "refused"), asked], title).toEqual([expect.stringContaining("InvalidSpec"), []]);
      }
      const made = await applied("one", specOf("one"));
      expect(made).toEqual(isOffered(writes) ? [REACHED, writes.toSorted()] : [UNSUPPORTED, []]);
      const [{ metadata }, baseline] = [env.get(kind, "one"), env.baseline()];
      // An operation that the platform lacks is tried again after an hour.
      await env.run(isOffered(writes) ? REST : 30 * MINUTE);
      expect([env.get(kind, "one").metadata, env.writes(baseline)], "is left in peace").toEqual([metadata, []]);
    });

    /** Creates the object and changes its spec. @returns the operations that were sent, and what conditions say */
    async function change() {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const spec = specOf("one");
      await applied("one", spec);
      const changed = await applied("one", { ...spec, ...sample.change?.({ env, name: "one", tree: TREE }) });
      const conditions = ["Stalled", "SettingsSynced"].map((type) => env.condition(kind, "one", type));
      const baseline = env.baseline();
      await env.run(REST);
      expect(env.writes(baseline).filter(Boolean), "is left in peace").toEqual([]);
      return { changed, conditions };
    }

    const isChanged = sample.change !== undefined && isOffered(writes);
    const can = changes.length > 0 && isOffered(changes);
    const areSettings = changes.every((operation) => operation.startsWith("update"));

    it.runIf(isChanged && can)("is changed once", async () => {
      expect(await change()).toEqual({ changed: [REACHED, changes.toSorted()], conditions: ["", ""] });
    });

    it.runIf(isChanged && !can && areSettings)("names the settings that cannot be changed, and goes on", async () => {
      expect(await change()).toEqual({ changed: [REACHED, []], conditions: ["", "False/UpdateNotSupported"] });
    });

    it.runIf(isChanged && !can && !areSettings)("says why it cannot be changed", async () => {
      expect(await change()).toEqual({ changed: [UNSUPPORTED, []], conditions: [TRUE, ""] });
    });

    it.runIf(canAdopt && isOffered(writes))("is kept, and taken over by its id or its name", async () => {
      const { env, specOf, applied, removed } = await stage(kind, sample, surface);
      const spec = specOf("kept");
      await applied("kept", spec);
      const id = idOf(env.get(kind, "kept"));
      const given = { ...spec, externalId: id };
      const second = await applied("second", given);
      expect(second, "belongs to another").toEqual([expect.stringContaining("AlreadyManaged"), []]);
      expect(env.condition(kind, "second", "Stalled")).toEqual(TRUE);
      expect([await removed("second"), await removed("kept")], "is kept").toEqual([[], []]);
      // Nothing shows which commit runs: it is deployed once.
      const isUnknown = kind === "PlatformApplication" && surface === "documented";
      const takenOver = [REACHED, isUnknown ? ["deployApplication"] : []];
      expect(await applied("by-id", given), "is taken over by its id").toEqual(takenOver);
      expect([idOf(env.get(kind, "by-id")), await removed("by-id")]).toEqual([id, []]);
      const isListed = behavior.listable?.(isFull);
      const lifecycle = isListed === undefined ? { managementPolicy: "ObserveOnly" } : { adoptionPolicy: "Required" };
      const byName = await applied("by-name", { ...spec, lifecycle });
      expect(byName, "is taken over by its name").toEqual([isListed === true ? REACHED : FALSE, []]);
      expect(idOf(env.get(kind, "by-name"))).toBe(isListed === true ? id : "");
    });

    it.runIf(removals !== undefined && isOffered(writes))("is deleted, or left where nothing can", async () => {
      const { specOf, applied, removed } = await stage(kind, sample, surface);
      await applied("doomed", { ...specOf("doomed"), lifecycle: { deletionPolicy: "Delete" } });
      const deletes = (await removed("doomed")).filter((name) => name.startsWith("delete"));
      const canDelete = removals?.every((name) => isSupported(name, isFull));
      expect(deletes.length > 0).toBe(canDelete);
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
    it("CreateOnly: nothing more once it was brought about, whatever is changed", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const lifecycle = { managementPolicy: "CreateOnly", applyPolicy: "Automatic" };
      const spec = { ...specOf("once"), lifecycle };
      expect(await applied("once", spec)).toEqual([REACHED, writes]);
      const change = sample.change?.({ env, name: "once", tree: TREE });
      const [, asked] = await applied("once", { ...spec, ...change });
      expect([asked, member(env.get(kind, "once").status, "observedGeneration")]).toEqual([[], 2]);
    });

    it("Manual: nothing before its plan is approved, and then what the plan says, once", async () => {
      const { env, specOf, applied } = await stage(kind, sample, surface);
      const baseline = env.baseline();
      const [, asked] = await applied("manual", { ...specOf("manual"), lifecycle: { applyPolicy: "Manual" } });
      expect([env.condition(kind, "manual"), asked]).toEqual([expect.stringContaining("ApprovalPending"), []]);
      for (let approvals = 0; approvals < 3 && planIn(env.get(kind, "manual")) !== undefined; approvals += 1) {
        env.cluster.annotate(kind, "manual", { [APPROVED_PLAN]: planIn(env.get(kind, "manual"))?.hash ?? null });
        await env.run(20 * MINUTE);
      }
      expect([env.condition(kind, "manual"), env.writes(baseline).toSorted()]).toEqual([REACHED, writes]);
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
      return [env.condition(kind, name), servedSince(baseline).toSorted()] as const;
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
