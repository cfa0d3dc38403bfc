/**
 * One reconcile of a widget whose plans, answers and traces a test lists, with an API server in memory. What happens is
 * one list of sentences in its order: reads and requests of the platform, and writes to the API server.
 */
import { ACTION_STARTED, EXTERNAL_ID, INSTALLATION, INTENT } from "../../../src/api/names.ts";
import { LocalState } from "../../../src/engine/context/local-state.ts";
import type { Goal, Step, Trace, StatusReason } from "../../../src/engine/contract/kind.ts";
import { recordedIn } from "../../../src/engine/contract/status.ts";
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { temporaryKey } from "../../../src/engine/ownership/installation-key.ts";
import { resolveObject } from "../../../src/engine/resolve/resolve.ts";
import type { ReconcileResult } from "../../../src/engine/status/outcome.ts";
import { beginReconcile, type Resolved, type Unresolved } from "../../../src/engine/status/reconciliation.ts";
import type { EventInput, JsonObject, KubeObject, ObjectMeta } from "../../../src/kube/api/types.ts";
import { createWriter } from "../../../src/kube/write/writer.ts";
import type { ApiError } from "../../../src/platform/transport/errors.ts";
import { memoryApiServer, type MemoryApiServer, type Write } from "../kube/api-server.ts";
import { manualClock, type ManualClock } from "../kube/clock.ts";
import { apiOver, newRemote, uuid } from "./fake-platform.ts";
import { drawn } from "./harness.ts";
import { widget } from "./kinds.ts";
import { connectedPorts } from "./ports.ts";

type Widget = typeof widget;
type WidgetPlan = ReturnType<Widget["plan"]>;
type WidgetStep = Extract<WidgetPlan, { is: "step" }>["step"];
type Observed = Awaited<ReturnType<Widget["observe"]>>;
type Context = Parameters<Widget["plan"]>[0];
type Given = NonNullable<Parameters<typeof connectedPorts>[2]>;

/** What a test lists. */
export interface Script {
  /** The plans in turn; the last one stays. "settled" by default. */
  readonly plans?: readonly (WidgetPlan | ((context: Context) => WidgetPlan))[];
  /** The answers by operation: an error, or an id, "" for a create without one. By default the request is carried out. */
  readonly answers?: Readonly<Record<string, ApiError | string>>;
  /** What the trace of an intent shows, or its error; by default nothing. */
  readonly trace?: Trace | ApiError;
  /** The error of the read of the platform. */
  readonly unread?: ApiError;
  readonly spec?: JsonObject;
  readonly meta?: Partial<ObjectMeta>;
  readonly status?: JsonObject;
  readonly goal?: Goal;
  readonly surface?: "Documented" | "Full";
  /** Other members of the kind, and other ports. */
  readonly kind?: Partial<Widget>;
  readonly ports?: Partial<Given>;
}

export const ID: string = uuid(1);
export const READY: StatusReason = { reason: "Available", message: "It is there." };
export const WORKING: StatusReason = { reason: "Deploying", message: "A deployment runs." };

export const IDENTITY = {
  connectionUid: "uid-link",
  host: "platform.example",
  organizationId: "org-1",
  installation: "installation-1",
} as const;

/** An object that is recorded on the platform, whose spec of generation 1 was applied. */
export const RECORDED = {
  status: { externalId: ID, writeLedger: { identity: IDENTITY }, observedGeneration: 1, appliedGeneration: 1 },
  meta: { annotations: { [EXTERNAL_ID]: ID, [INSTALLATION]: IDENTITY.installation } },
} as const satisfies Script;

export const step = (one: WidgetStep): WidgetPlan => ({ is: "step", step: one });
export const SETTLED: WidgetPlan = { is: "settled" };

/** One step of each sort. */
export const STEPS = {
  create: {
    repeat: "once",
    op: "create",
    action: "create",
    creates: true,
    mark: null,
    why: { reason: "Creating", message: "It is being created." },
    name: "a",
  },
  deploy: { repeat: "once", op: "deploy", action: "deploy", creates: false, mark: 0, why: WORKING, commit: "c1" },
  update: { repeat: "safe", op: "update", action: "update" },
  stop: { repeat: "safe", op: "stop", action: "stop" },
  delete: { repeat: "safe", op: "delete", action: "delete" },
} as const satisfies Readonly<Record<string, WidgetStep>>;

/** Every status is written at once. */
const WINDOWS = { ...DEFAULT_WINDOWS, deferMs: 0, graceMs: 0 };

const TYPE = { group: "test", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };

export interface Scripted {
  /** What has happened, oldest first. */
  readonly happened: string[];
  readonly events: EventInput[];
  readonly clock: ManualClock;
  readonly cluster: MemoryApiServer;
  readonly r: Unresolved;
  /** Called after each write of the operator; may take time. */
  afterWrite: () => Promise<void>;
  /** The object as the API server has it; undefined once it is gone. */
  readonly object: () => KubeObject | undefined;
}

/** Returns a reconcile of the widget "a" that has not begun. */
export async function scripted(script: Script): Promise<Scripted> {
  const { spec = {}, meta, status, surface = "Full", ports: given } = script;
  const clock = manualClock();
  const cluster = memoryApiServer(() => clock.now(), [TYPE]);
  const happened: string[] = [];
  const events: EventInput[] = [];
  cluster.create("Widget", "a", { name: "a", ...spec }, meta);
  if (status !== undefined) cluster.status("Widget", "a", status);
  const own = { afterWrite: () => Promise.resolve() };
  cluster.hooks.after = async (write) => {
    happened.push(`write ${contentOf(write)}`);
    await own.afterWrite();
  };
  const client: typeof cluster.client = {
    ...cluster.client,
    request: async (request) => {
      if (request.method === "GET") happened.push("confirm");
      return await cluster.client.request(request);
    },
  };
  const random = drawn();
  const writer = createWriter({ client, store: cluster.cache, types: [TYPE], clock, random });
  const { ports } = await connectedPorts(
    apiOver(() => Promise.resolve(undefined)),
    surface,
    {
      cache: cluster.cache,
      writer,
      clock,
      random,
      events: { record: (event) => events.push(event) },
      key: temporaryKey(),
      windows: WINDOWS,
      ...given,
    },
  );
  const object = cluster.get("Widget", "a");
  const { uid } = object.metadata;
  const kind = scriptedKind(script, happened) as unknown as Unresolved["kind"];
  const r = beginReconcile(ports, kind, object, new LocalState(uid, clock.monotonic()));
  return Object.assign(own, { happened, events, clock, cluster, r, object: () => cluster.find("Widget", "a") });
}

/** Resolves the reconcile. @throws TypeError if it ends before that */
export async function resolved({ r }: Scripted, goal: Goal = "present"): Promise<Resolved> {
  const found = await resolveObject(r, goal);
  if ("is" in found) throw new TypeError(`it ends ${endOf(found)}`);
  return found;
}

/** Returns how a reconcile ended, e.g. "waiting Creating". */
export function endOf(result: ReconcileResult): string {
  return "why" in result ? `${result.is} ${result.why.reason}` : result.is;
}

function scriptedKind(script: Script, happened: string[]): Widget {
  const { plans = [SETTLED], answers = {}, trace = { is: "absent" }, unread, kind } = script;
  let planned = 0;
  const own = newRemote(1, { name: "a" });
  const shown: Observed = { all: [own], own };
  return {
    ...widget,
    observe: async () => {
      happened.push("read");
      if (unread !== undefined) await Promise.reject(unread);
      return shown;
    },
    plan: (context) => {
      const plan = plans[Math.min(planned, plans.length - 1)] ?? SETTLED;
      planned += 1;
      return typeof plan === "function" ? plan(context) : plan;
    },
    act: async ({ op }: Step, { memory }) => {
      happened.push(`send ${op}`);
      const answer = answers[op] ?? (op === "create" ? ID : "");
      if (typeof answer !== "string") return await Promise.reject(answer);
      return { observed: shown, memory, ...(answer !== "" && { id: answer }) };
    },
    trace: async ({ op }) => {
      happened.push(`trace ${op}`);
      if (!("is" in trace)) return await Promise.reject(trace);
      return trace as Awaited<ReturnType<Widget["trace"]>>;
    },
    report: () => ({ ready: READY, conditions: [], status: {} }),
    ...kind,
  };
}

/** Returns what a write contains, e.g. "intent, finalizer" or "status with intent". */
function contentOf({ what, body }: Write): string {
  if (what === "status")
    return `status${(recordedIn({ status: body }, "intent") ?? null) === null ? "" : " with intent"}`;
  const changed = (key: string, name: string): readonly string[] => {
    if (!Object.hasOwn(body, key)) return [];
    return [body[key] === null ? `no ${name}` : name];
  };
  const finalizers = body["finalizers"];
  const held = Array.isArray(finalizers) ? [finalizers.length > 0 ? "finalizer" : "no finalizer"] : [];
  const parts = [
    ...changed(INTENT, "intent"),
    ...changed(EXTERNAL_ID, "id"),
    ...changed(ACTION_STARTED, "started"),
    ...held,
  ];
  return parts.length === 0 ? "installation" : parts.join(", ");
}
