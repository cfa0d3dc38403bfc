/** The engine's ports and a connection with fakes that a test provides, for one reconcile at a time. */
import type { Connection } from "../../../src/engine/connections/connections.ts";
import { createMassChangeLimit } from "../../../src/engine/connections/mass-change-limit.ts";
import type { Ports } from "../../../src/engine/context/context.ts";
import { createLocalStates } from "../../../src/engine/context/local-state.ts";
import type { RatedApi } from "../../../src/engine/contract/kind.ts";
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { createExternalWrites } from "../../../src/engine/ownership/external-writes.ts";
import { createFieldOwnership } from "../../../src/engine/ownership/fields.ts";
import { createIdOwnership } from "../../../src/engine/ownership/ids.ts";
import { createDependencyIndex } from "../../../src/engine/references/dependencies.ts";
import type { Clock } from "../../../src/kube/api/types.ts";
import { UNDIVIDED } from "../../../src/kube/watch/assignment.ts";
import { TEAM } from "../kube/api-server.ts";
import { memoryOrphans } from "../platform/orphans.ts";
import { usualSettings } from "./links.ts";

const LINK = { kind: "Link", namespace: TEAM, name: "default" };

export const QUIET: Ports["observer"] = {
  change: () => {},
  status: () => {},
  removed: () => {},
  internal: () => {},
};

export const quietPorts = () =>
  ({
    withoutSecrets: (text: string) => text,
    events: { record: () => {} },
    observer: QUIET,
    namespaces: { get: () => Promise.resolve({ uid: "ns", labels: {}, terminating: false }) },
    outputs: { configMap: () => Promise.resolve(), secret: () => Promise.resolve() },
    fence: { mayWrite: () => true },
    assignment: UNDIVIDED,
    windows: DEFAULT_WINDOWS,
    operatorNamespace: "operator",
    dryRun: false,
    stopping: new AbortController().signal,
  }) as const;

export function portsOver<Api extends RatedApi>(
  connection: Connection<Api>,
  given: Pick<Ports<Api>, "cache" | "writer" | "clock" | "random"> & Partial<Ports<Api>>,
): Ports<Api> {
  const { clock } = given;
  return {
    ...quietPorts(),
    reader: { secret: () => Promise.resolve(undefined), configMap: () => Promise.resolve(undefined) },
    connections: {
      last: () => connection,
      byUid: () => connection,
      open: () => Promise.reject(new TypeError("nothing is opened")),
      refresh: () => Promise.resolve(),
      all: () => [],
      suspect: () => {},
      waitFor: () => {},
      recovered: () => {},
      forget: () => {},
      closeAll: () => Promise.resolve(),
    },
    connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
    dependencies: createDependencyIndex(),
    idOwnership: createIdOwnership(),
    fieldOwnership: createFieldOwnership(),
    externalWrites: createExternalWrites(() => false),
    orphans: memoryOrphans(clock),
    localStates: createLocalStates(() => clock.monotonic()),
    installation: "installation-1",
    route: () => ({ is: "found", key: LINK }),
    wake: () => {},
    ...given,
  };
}

/** @returns a working connection to a platform with these capabilities */
export function connectionTo<Api extends RatedApi>(
  api: Api,
  surface: "Documented" | "Full",
  clock: Clock,
): Connection<Api> {
  return {
    key: LINK,
    uid: "uid-link",
    generation: 1,
    settings: usualSettings(surface),
    host: "platform.example",
    api,
    brake: createMassChangeLimit(clock),
    access: { now: { token: "token-1", network: {} } },
    token: () => "token-1",
    trouble: undefined,
    surface,
    probedAt: 0,
    nextProbeAt: 0,
    failures: 0,
    waiting: new Set(),
    denied: new Set(),
    receiver: undefined,
    users: new Set(),
  };
}
