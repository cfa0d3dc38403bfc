import { describe, expect, it } from "vitest";

import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { boundKinds } from "../../../src/operator/config/kinds.ts";
import { SAMPLES } from "../../samples/index.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { PLACES, type Failure, throwingKinds } from "../../support/hostile/throwing-kinds.ts";
import { defaults, tree } from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
const TREE = "tree";

/** @returns one of each kind in the tree. @param index of its cluster */
function oneOfEach(env: OperatorEnv, name: string, index: 0 | 1): readonly Manifest[] {
  const externalId = env.platform.clusterIds[index] ?? "";
  const specs: Readonly<Record<string, JsonObject>> = {
    ClusterPlatformConnection: { allowedNamespaces: { names: ["elsewhere"] } },
    PlatformCluster: { externalId, runState: "Running" },
    PlatformBinding: { clusterRef: { externalId } },
  };
  return Object.entries(SAMPLES).map(([kind, sample]) =>
    sample.good({ env, name, tree: TREE, spec: specs[kind] ?? {} }),
  );
}

const KINDS = boundKinds().map(({ kind }) => kind);
const ended = (kind: string): string => (kind === "PlatformOperation" ? "Complete" : "Ready");
/** In `make test`: each kind in one place, each place in some kinds. */
const rows = KINDS.flatMap((kind, index) =>
  PLACES.filter((_, place) => effort.all || place === index % PLACES.length).map((where) => ({ kind, where })),
);

describe("[A8] a kind that throws", { timeout: 60_000 }, () => {
  it.for(rows)("$kind in $where: that object says so, all others come to their ends", async (row, { task }) => {
    const failure: Failure = { ...row, name: "torn" };
    const env = await operatorEnv({ kinds: () => throwingKinds(failure) });
    env.apply(...defaults(env), ...tree(env, TREE));
    await env.run(10 * MINUTE);
    const [torn, good] = [oneOfEach(env, "torn", 0), oneOfEach(env, "good", 1)];
    expect(new Set(torn.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    env.apply(...torn, ...good);
    await env.run(20 * MINUTE);
    for (const { kind, metadata } of [...torn, ...good]) {
      if (kind === row.kind && metadata.name === "torn") continue;
      expect(env.condition(kind, metadata.name, ended(kind)), `${kind} ${metadata.name}`).toMatch(/^True/);
    }
    expect(env.condition(row.kind, "torn", "Stalled")).toBe("True/InternalError");
    expect(env.internal.length).toBeLessThan(40);
    const tries = env.internal.length;

    failure.where = undefined;
    env.cluster.annotate(row.kind, "torn", { [RECONCILE_REQUESTED_AT]: "fixed" });
    await env.run(10 * MINUTE);
    expect(env.condition(row.kind, "torn", ended(row.kind))).toMatch(/^True/);
    expect(env.internal).toHaveLength(tries);
    const writes = env.writes().filter((operation) => operation.startsWith("create"));
    const created = env.calls().flatMap(({ effects }) => effects.filter((effect) => "created" in effect));
    expect(created).toHaveLength(writes.length);
    expect(env.writes().filter((operation) => operation === "downloadInvoices")).toHaveLength(2);
    figure(task, `${tries} tries in 20 minutes, 0 of ${torn.length + good.length - 1} others affected, 0 made twice`);
  });
});
