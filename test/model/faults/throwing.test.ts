import { describe, expect, it } from "vitest";

import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { boundKinds } from "../../../src/config/kinds.ts";
import { bind, bindConnection, type Bound, type BoundConnection } from "../../../src/engine/bind.ts";
import type { Kind, KindTypes, ReconcileContext } from "../../../src/engine/contract/kind.ts";
import type { ConnectionSpec } from "../../../src/kinds/connection/crd.ts";
import { CONNECTIONS, createKinds } from "../../../src/kinds/index.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { SAMPLES } from "../../samples/index.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { tree } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const PLACES = ["observe", "plan", "report"] as const;
const CONNECTION_PLACES = ["settings", "probe"] as const;

/** The method in which the reconcile of an object throws; none while `where` is undefined. */
interface Failure {
  where: (typeof PLACES | typeof CONNECTION_PLACES)[number] | undefined;
  readonly kind: string;
  readonly name: string;
}

function throwing<K extends KindTypes & { readonly api: Platform }>(kind: Kind<K>, failure: Failure): Bound<Platform> {
  const entered = (where: Failure["where"], what: ReconcileContext<K>): ReconcileContext<K> => {
    if (failure.kind === kind.resource.kind && failure.name === what.resource.name && failure.where === where) {
      throw new TypeError(`${kind.resource.kind} throws in ${String(where)}`);
    }
    return what;
  };
  return bind({
    ...kind,
    observe: async (what, api) => await kind.observe(entered("observe", what), api),
    plan: (what, observed) => kind.plan(entered("plan", what), observed),
    report: (what, observed) => kind.report(entered("report", what), observed),
  });
}

type AnyConnectionKind = (typeof CONNECTIONS)[keyof typeof CONNECTIONS];

function throwingConnection(kind: AnyConnectionKind, failure: Failure): BoundConnection<Platform> {
  const entered = (where: Failure["where"], spec: ConnectionSpec): ConnectionSpec => {
    const isTorn = spec.allowedSecrets?.matchLabels["name"] === failure.name;
    if (failure.kind === kind.resource.kind && isTorn && failure.where === where) {
      throw new TypeError(`${kind.resource.kind} throws in ${String(where)}`);
    }
    return spec;
  };
  return bindConnection({
    ...kind,
    settings: (spec: ConnectionSpec) => kind.settings(entered("settings", spec)),
    probe: async (spec: ConnectionSpec, api: Platform) => await kind.probe(entered("probe", spec), api),
  });
}

const TREE = "tree";

/** @returns one of each kind in the tree. @param index of its cluster */
function oneOfEach(env: OperatorEnv, name: string, index: 0 | 1): readonly Manifest[] {
  const externalId = env.platform.clusterIds[index] ?? "";
  // The methods of a kind of connections see the spec, not the name.
  const allowedSecrets = { matchLabels: { name } };
  const specs: Readonly<Record<string, JsonObject>> = {
    PlatformConnection: { allowedSecrets },
    ClusterPlatformConnection: { allowedSecrets, allowedNamespaces: { names: ["elsewhere"] } },
    PlatformCluster: { externalId, runState: "Running" },
    PlatformBinding: { clusterRef: { externalId } },
  };
  return Object.entries(SAMPLES).map(([kind, sample]) =>
    sample.good({ env, name, tree: TREE, spec: specs[kind] ?? {} }),
  );
}

const { connections, managed } = boundKinds();
const KINDS = [...connections, ...managed].map(({ kind }) => kind);
/** In `make test`: each place in one kind. */
const rows = [
  ...CONNECTION_PLACES.flatMap((where, place) =>
    connections.filter((_, index) => effort.all || index === place).map(({ kind }) => ({ kind, where })),
  ),
  ...PLACES.flatMap((where, place) =>
    managed.filter((_, index) => effort.all || index === place * 4).map(({ kind }) => ({ kind, where })),
  ),
];

describe("[A8] an error that a kind throws", () => {
  it.for(rows)("($kind, %s) stalls its own object", async (row, { task }) => {
    const failure: Failure = { ...row, name: "torn" };
    const kinds = () => ({
      connections: Object.values(CONNECTIONS).map((kind) => throwingConnection(kind, failure)),
      managed: Object.values(createKinds()).map((kind) => throwing(kind, failure)),
    });
    const env = await settledEnv((env) => tree(env, TREE), { kinds });
    const [torn, good] = [oneOfEach(env, "torn", 0), oneOfEach(env, "good", 1)];
    expect(new Set(torn.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    env.apply(...torn, ...good);
    await env.run(20 * MINUTE);
    for (const { kind, metadata } of [...torn, ...good]) {
      if (kind === row.kind && metadata.name === "torn") continue;
      expect(env.condition(kind, metadata.name), `${kind} ${metadata.name}`).toMatch(/^True/);
    }
    expect(env.condition(row.kind, "torn", "Stalled")).toBe("True/InternalError");
    expect(env.internal.length).toBeLessThan(40);
    const tries = env.internal.length;

    failure.where = undefined;
    env.cluster.annotate(row.kind, "torn", { [RECONCILE_REQUESTED_AT]: "fixed" });
    await env.run(10 * MINUTE);
    expect(env.condition(row.kind, "torn")).toMatch(/^True/);
    expect(env.internal).toHaveLength(tries);
    const writes = env.writes().filter((operation) => operation.startsWith("create"));
    const created = env.calls().flatMap(({ effects }) => effects.filter((effect) => "created" in effect));
    expect(created).toHaveLength(writes.length);
    figure(task, `${tries} tries in 20 minutes, 0 of ${torn.length + good.length - 1} others affected, 0 made twice`);
  });
});
