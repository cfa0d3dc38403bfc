/**
 * The environment of one test file (or one `describe`) on the shared control plane: a namespace, a simulated platform,
 * and the operator as a child process with the ServiceAccount, roles and flags of deploy/rbac, in its own operator
 * namespace, so that files that run at the same time share neither lease nor objects.
 *
 * - `env.platform` is the simulator: `.sim.settings`, `.sim.faults.add(…)`, `.sim.auth`, `.world()`, `.journal()`.
 * - Engine times are scaled down (`FAST`); `windows` changes single ones. Deadlines of calls of the platform are real,
 *   except those in `deadlines`. The platform works 100 times as fast as a real one.
 * - At the end the operator must stop cleanly. RBAC must have refused it nothing, it must have logged no error except
 *   those that `mayLog` matches, and nothing that it wrote may contain a token of the platform or a value of a Secret.
 * - The operators of all files see a ClusterPlatformConnection (but see `ownControlPlane`); only the environment whose
 *   namespace is the prefix of its name records it. So begin its name with the namespace, let it allow only that
 *   namespace, and remove it.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect } from "vitest";
import { z } from "zod";

import type { Surface } from "../../../simulator/base/operations.ts";
import { startSimulator, type Simulator, type SimulatorOptions } from "../../../simulator/simulator.ts";
import { OPERATOR } from "../../../src/config/names.ts";
import { RESOURCES } from "../../../src/kinds/index.ts";
import { type Endpoint, endpointOf, kubectl, type KubectlOptions } from "../../control-plane/access.ts";
import { type AuditEvent, serviceAccountUser } from "../../control-plane/audit.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import type { Cluster, Manifest } from "./cluster.ts";
import { effort } from "./effort.ts";
import { quickstartIn } from "./manifests.ts";
import type { RunningOperator } from "./operator.ts";
import { type AuditTail, auditTail, type Recording, recordFrom } from "./recording.ts";
import { withdrawRights } from "./rights.ts";
import { metricsOf, secretsTold } from "./secrets.ts";
import { createStage, type StageOptions } from "./stage.ts";

const EventTime = z.object({ eventTime: z.coerce.date() });

export interface EnvOptions extends StageOptions {
  readonly surface: Surface;
  /** Sets the platform's organization and the token of its admin instead of random ones. */
  readonly platform?: Pick<SimulatorOptions, "organizationId" | "adminToken">;
  /** Further environment variables of the operator, read at each of its starts. */
  readonly variables?: () => Readonly<Record<string, string>>;
  /** Matches log lines of the level error that are expected. */
  readonly mayLog?: RegExp;
  /** Resources, e.g. "secrets", whose requests RBAC may refuse. */
  readonly mayRefuse?: readonly string[];
  /** The loopback port through which the operator reaches the API server, instead of the server's own port. */
  readonly through?: () => number;
}

export type Env = ReturnType<typeof createEnv>;

/** Sets up before the tests of the file or describe that it is called in, and tears down after them. */
export function createEnv(options: EnvOptions) {
  const { args = [] } = options;
  const stage = createStage("stage", options);
  const { facts, namespace, operatorNamespace, namespaces, client, within } = stage;
  let platform: Simulator | undefined;
  let operator: RunningOperator | undefined;
  let errors: ReturnType<RunningOperator["logs"]> = [];
  const output: string[] = [];
  const metrics: string[] = [];

  const tail = auditTail(facts.auditLogPath, serviceAccountUser(operatorNamespace, OPERATOR), (mark) =>
    client.request({ method: "GET", path: "/version", query: { mark } }),
  );

  const start = async (): Promise<void> => {
    // `secretsTold` searches lines of that level too.
    const level = effort.all && !args.some((arg) => arg.startsWith("--log-level=")) ? ["--log-level=trace"] : [];
    operator = await stage.start([...level, ...args], options.variables?.());
  };

  const end = async (how: "stop" | "kill"): Promise<void> => {
    const running = there(operator);
    operator = undefined;
    if (how === "stop") metrics.push(await metricsOf(running));
    const exit = await running[how]();
    errors = [...errors, ...running.logs().filter(({ level }) => level === "error")];
    output.push(running.output());
    if (how === "stop") expect(exit, "how the operator ends").toEqual({ code: 0, signal: null });
  };

  beforeAll(async () => {
    await stage.open(await endpoint(facts, options.through?.()));
    platform = await startSimulator({ ...options.platform, surface: options.surface, speed: 100 });
    await start();
  });

  afterAll(async () => {
    if (operator !== undefined) await end("stop");
    await Promise.all(namespaces.map((name) => clear(within(name))));
    await withdrawRights(client, operatorNamespace);
    const requests = await tail();
    const refused = requests.filter(
      ({ responseStatus, objectRef }) =>
        responseStatus?.code === 403 && options.mayRefuse?.includes(objectRef?.resource ?? "") !== true,
    );
    const all = [operatorNamespace, ...namespaces].map(within);
    const reported = await secretsTold({ platform: there(platform), namespaces: all, output, metrics, requests });
    await client.close();
    await platform?.close();
    expect(refused, "requests that RBAC refused").toEqual([]);
    const unexpected = errors.filter((line) => options.mayLog?.test(JSON.stringify(line)) !== true);
    expect(unexpected, "errors in the operator's log").toEqual([]);
    expect(reported, "secrets in what the operator wrote").toEqual([]);
  });

  const own: AuditTail = async () => (await tail()).filter((event) => isOf(namespace, event));
  const record = async (): Promise<Recording> => recordFrom(there(platform), own, (await own()).length);

  const writtenIn = async (seconds: number) => {
    const since = await record();
    await sleep(seconds * 1_000);
    const { objects, events } = await since.writes();
    // Later occurrences of an earlier event only update its count, and are ignored.
    return { platform: since.changes(), objects, events: events.filter(({ verb }) => verb === "create") };
  };

  /** Reports whether an event is about something after `since`: events are written with a delay. */
  const isNews = async ({ name }: { readonly name: string }, since: Date): Promise<boolean> => {
    const found = await Promise.all([namespace, "default"].map((where) => within(where).find("Event", name)));
    return found.every((event) => event === undefined || EventTime.parse(event).eventTime >= since);
  };

  return {
    ...within(namespace),
    namespace,
    operatorNamespace,
    get platform() {
      return there(platform);
    },
    get operator() {
      return there(operator);
    },
    at: stage.at,
    /** Runs kubectl as the cluster's admin, in the namespace. @throws Error with kubectl's output */
    kubectl: (args: readonly string[], more?: KubectlOptions): Promise<string> =>
      kubectl(facts, ["-n", namespace, ...args], more),
    /**
     * Returns examples/quickstart for this platform and namespace; with `rate` false, the connection's budget stays
     * unchanged.
     */
    quickstart: ({ rate = true } = {}): readonly Manifest[] => quickstartIn(namespace, there(platform), rate),
    record,
    /** Expects no writes to the platform or to Kubernetes, except leases, for this number of seconds. */
    quiet: async (seconds: number): Promise<void> => {
      // Events are written a moment after the status that the test waited for.
      const since = new Date(Date.now() + 500);
      const written = await writtenIn(seconds);
      const news = await Promise.all(written.events.map((event) => isNews(event, since)));
      const events = written.events.filter((_, index) => news[index]);
      expect({ ...written, events }).toEqual({ platform: [], objects: [], events: [] });
    },
    /** Waits until there was no write, except leases, for 0.7 s. @throws Error after 20 s */
    settled: async (): Promise<void> => {
      for (let attempts = 0; attempts < 25; attempts += 1) {
        if (Object.values(await writtenIn(0.7)).every((writes) => writes.length === 0)) return;
      }
      throw new Error("the operator does not come to rest");
    },
    start,
    stop: () => end("stop"),
    kill: () => end("kill"),
    restart: async (): Promise<void> => {
      await end("stop");
      await start();
    },
  };
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the environment exists from beforeAll on, its operator while it runs");
  return value;
}

async function endpoint(facts: ControlPlaneFacts, port: number | undefined): Promise<Endpoint | undefined> {
  if (port === undefined) return undefined;
  return { ...(await endpointOf(facts)), server: `https://127.0.0.1:${port}` };
}

/** Reports whether a request is of this environment, not for a cluster-scoped object of another one or its event. */
function isOf(namespace: string, { objectRef }: AuditEvent): boolean {
  const isShared = objectRef?.resource === "clusterplatformconnections" || objectRef?.namespace === "default";
  return !isShared || objectRef.name.startsWith(namespace);
}

/** Removes all custom resources with their finalizers, as the operator has stopped. */
async function clear(at: Cluster): Promise<void> {
  const kinds = RESOURCES.filter(({ scope }) => scope === "Namespaced").map(({ kind }) => kind);
  await Promise.all(
    kinds.map(async (kind) => {
      for (const { metadata } of await at.list(kind)) {
        const { name, finalizers } = metadata;
        if (finalizers !== undefined) await at.patch(kind, name, { metadata: { finalizers: null } });
        if ((await at.find(kind, name)) !== undefined) await at.remove(kind, name);
      }
    }),
  );
}
