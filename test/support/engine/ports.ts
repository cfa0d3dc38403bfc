/** The engine's ports and a connection with fakes that a test provides, for one reconcile at a time. */
import { createConnections } from "../../../src/engine/connections/connections.ts";
import type { Ports } from "../../../src/engine/context/context.ts";
import { createLocalStates } from "../../../src/engine/context/local-state.ts";
import type { RatedApi } from "../../../src/engine/contract/kind.ts";
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { createExternalWrites } from "../../../src/engine/ownership/external-writes.ts";
import { createFieldOwnership } from "../../../src/engine/ownership/fields.ts";
import { createIdOwnership } from "../../../src/engine/ownership/ids.ts";
import { createDependencyIndex } from "../../../src/engine/references/dependencies.ts";
import { keyValues } from "../kube/key-values.ts";
import { memoryOrphans } from "../platform/orphans.ts";
import { aKey } from "./keys.ts";
import { usualSettings } from "./links.ts";
import { anObject } from "./objects.ts";

const LINK = { ...anObject({ meta: { name: "default", uid: "uid-link", generation: 1 } }), kind: "Link" };

export const QUIET: Ports["observer"] = {
  change: () => {},
  status: () => {},
  removed: () => {},
  writtenElsewhere: () => {},
  internal: () => {},
};

export const quietPorts = () =>
  ({
    withoutSecrets: (text: string) => text,
    events: { record: () => {} },
    observer: QUIET,
    namespaces: { get: () => Promise.resolve({ uid: "ns", labels: {}, terminating: false }) },
    outputs: {
      configMap: () => Promise.resolve("1"),
      secret: () => Promise.resolve("1"),
      isAsWritten: () => Promise.resolve(true),
    },
    fence: { mayWrite: () => true, leading: () => true },
    windows: DEFAULT_WINDOWS,
    operatorNamespace: "operator",
    releases: { isRunning: () => false },
    key: aKey(),
    receiver: () => ({ url: "https://hooks.example.com/x", path: "x", secret: "y" }),
    dryRun: false,
    stopping: new AbortController().signal,
  }) as const;

/** @returns the engine's ports, and a working connection to a platform of this surface */
export async function connectedPorts<Api extends RatedApi>(
  api: Api,
  surface: "Documented" | "Full",
  given: Pick<Ports<Api>, "cache" | "writer" | "clock" | "random"> & Partial<Ports<Api>>,
) {
  const { clock } = given;
  const wake = (): void => {};
  const reader = {
    secret: () => Promise.resolve(keyValues("1", { token: "token-1" })),
    configMap: () => Promise.resolve(undefined),
  };
  const common = { ...quietPorts(), reader, clock, wake };
  const connections = createConnections<Api>({ ...common, connect: () => api, isNeeded: () => true });
  const opened = await connections.open(LINK, usualSettings(surface));
  if (opened.is !== "open") throw new TypeError(opened.why.message);
  const connection = Object.assign(opened.connection, { surface, notReadyReason: undefined });
  const ports: Ports<Api> = {
    ...common,
    connections,
    connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
    dependencies: createDependencyIndex(),
    idOwnership: createIdOwnership(),
    fieldOwnership: createFieldOwnership(),
    externalWrites: createExternalWrites(() => false),
    orphans: memoryOrphans(clock),
    localStates: createLocalStates(() => clock.monotonic()),
    installation: "installation-1",
    usedSecrets: () => new Map(),
    route: () => ({ is: "found", key: connection.key }),
    ...given,
  };
  return { ports, connection };
}
