/**
 * Runs a kind through the engine's own steps and status, with an API server in memory. The test provides the context
 * that the engine would make from connection, references and policies.
 */
import { isDeepStrictEqual } from "node:util";

import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { LocalState } from "../../../src/engine/context/local-state.ts";
import type {
  IdentitySource,
  Kind,
  KindTypes,
  RatedApi,
  Receiver,
  ReconcileContext,
  Report,
  ResolvedNeeds,
} from "../../../src/engine/contract/kind.ts";
import { memoryIn } from "../../../src/engine/contract/status.ts";
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { identify } from "../../../src/engine/ledger/record.ts";
import { policyStatusIn } from "../../../src/engine/policies/policy-status.ts";
import { NO_DEFAULTS, policiesOf } from "../../../src/engine/policies/policy.ts";
import { fingerprintOf } from "../../../src/engine/references/values.ts";
import type { Resolved } from "../../../src/engine/status/reconciliation.ts";
import { writeStatus } from "../../../src/engine/status/write.ts";
import { runSteps } from "../../../src/engine/steps/loop.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { createWriter } from "../../../src/kube/write/writer.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { drawn } from "../engine/harness.ts";
import { aKey } from "../engine/keys.ts";
import { connectedPorts, QUIET } from "../engine/ports.ts";
import { memoryApiServer } from "../kube/api-server.ts";
import { buildContext, type SpecChange } from "./contexts.ts";

/** Changes of the context for one reconcile; a spec is a new generation of it, as a user writes it. */
export type ContextChange = SpecChange<ReconcileContext>;

export interface RunnerEnvironment {
  readonly surface: "Documented" | "Full";
  /** Ids behind references, by field. */
  readonly ids: Readonly<Record<string, string>>;
  /** Values of Secrets and ConfigMaps by field; `sources` is the version of those objects. */
  values: Readonly<Record<string, string>>;
  /** Whole Secrets and ConfigMaps by field. */
  all?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  sources: string;
  readonly passed: () => number;
  /** The key of the installation, which keys fingerprints. */
  key: string;
  /** Where the operator receives deliveries. */
  receiver: Receiver;
}

export type Runner = ReturnType<typeof kindRunner>;
export type Ran = Awaited<ReturnType<Runner["run"]>>;

type AnyKind<Api extends RatedApi> = Kind<KindTypes & { readonly api: Api }>;

const NAME = "thing";

export const RECEIVER = {
  url: "https://hooks.example.com/us/team/thing/c0de",
  path: "team/thing/c0de",
  secret: "a-s3cret",
} as const satisfies Receiver;

/** @param given the environment that differ from the usual ones @param spec as a user writes it */
export function kindRunner<K extends KindTypes>(
  typed: Kind<K>,
  api: K["api"],
  given: Pick<RunnerEnvironment, "surface"> & Partial<RunnerEnvironment>,
  spec: JsonObject,
) {
  const around: RunnerEnvironment = {
    ids: {},
    values: {},
    sources: "s@1",
    key: "key-1",
    passed: () => 0,
    receiver: RECEIVER,
    ...given,
  };
  const kind = typed as unknown as AnyKind<K["api"]>;
  const { kind: name } = kind.resource;
  let elapsed = 0;
  const clock = {
    now: () => new Date(Date.UTC(2026, 10, 21, 10) + clock.monotonic()),
    monotonic: () => elapsed + around.passed(),
    after: () => () => {},
  };
  const random = drawn();
  const cluster = memoryApiServer(clock.now);
  cluster.create(name, NAME, spec);
  const object = () => cluster.get(name, NAME);
  const writer = createWriter({ client: cluster.client, store: cluster.cache, types: cluster.types, clock, random });

  const identityOf = (): { readonly id: string | undefined; readonly identitySource: IdentitySource | undefined } => {
    const identity = identify(object());
    return identity.is === "known" ? identity : { id: undefined, identitySource: undefined };
  };

  const contextOf = ({ spec: _spec, ...change }: ContextChange): ReconcileContext => {
    const { metadata, status, spec: stored } = object();
    const generation = metadata.generation ?? 1;
    const fingerprint = (content: Json) => fingerprintOf(content, `${generation} ${around.sources}`, aKey(around.key));
    const parsed = kind.resource.spec.parse(stored);
    return buildContext<ReconcileContext>(
      {
        name: NAME,
        generation,
        spec: parsed,
        inputs: kind.needs(parsed).inputs(resolvedNeeds(around, fingerprint)),
        now: clock.now(),
        ...identityOf(),
        memory: memoryIn(kind.resource, { status }),
        fingerprint,
        surface: around.surface,
        adoption: kind.listable?.(around.surface === "Full") ? "IfUniqueName" : "Never",
        allowUnverifiedIds: change.allowedProjects === undefined,
      },
      change,
    );
  };

  const apply = (change: ContextChange): void => {
    elapsed += 1_234;
    if (change.spec !== undefined) cluster.spec(name, NAME, change.spec);
    if (change.requested !== undefined) cluster.annotate(name, NAME, { [RECONCILE_REQUESTED_AT]: change.requested });
  };

  /** A new process for each reconcile: only stored state is kept. */
  const reconciliation = async (
    change: ContextChange,
    watched: AnyKind<K["api"]>,
    ops: string[],
  ): Promise<Resolved> => {
    const stored = object();
    const { uid } = stored.metadata;
    const local = new LocalState(uid, clock.monotonic());
    const context = contextOf(change);
    const { ports, connection } = await connectedPorts(api, around.surface, {
      cache: cluster.cache,
      writer,
      clock: { ...clock, now: () => context.now },
      random,
      // Every status is written at once.
      windows: { ...DEFAULT_WINDOWS, deferMs: 0, graceMs: 0 },
      observer: { ...QUIET, change: ({ op }) => ops.push(op) },
    });
    const { corrects, onMissing, retry } = context.policies;
    return {
      isResolved: true,
      ports,
      kind: watched,
      local,
      object: stored,
      report: undefined,
      connection,
      recordedIdentity: {
        connectionUid: connection.uid,
        host: connection.host,
        organizationId: connection.settings.organizationId,
        installation: ports.installation,
      },
      policies: { ...policiesOf(stored, NO_DEFAULTS), manual: false, corrects, onMissing, retry },
      cause: undefined,
      context,
      policyStatus: policyStatusIn(stored),
      orphan: undefined,
    };
  };

  return {
    around,
    /** Reconciles once. @throws ApiError; like a crash, that drops the in-process state of the failing step */
    run: async (change: ContextChange = {}) => {
      apply(change);
      const before = object();
      const ops: string[] = [];
      let failure: ApiError | undefined;
      let report: Report | undefined;
      const blocked = [...(change.blockedOperations ?? [])];
      const failing = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work();
        } catch (error) {
          if (error instanceof ApiError) failure = error;
          throw error;
        }
      };
      const watched: AnyKind<K["api"]> = {
        ...kind,
        observe: (...how) => failing(() => kind.observe(...how)),
        act: (...how) => failing(() => kind.act(...how)),
        plan: ({ policies, ...context }, observed) => {
          failure = undefined;
          const blockedOperations = new Set([...policies.blockedOperations, ...blocked]);
          const plan = kind.plan({ ...context, policies: { ...policies, blockedOperations } }, observed);
          if (plan.is === "adopt" || plan.is === "forget") ops.push(plan.is);
          return plan;
        },
        report: (...how) => {
          report = kind.report(...how);
          return report;
        },
      };
      const r = await reconciliation(change, watched, ops);
      const result = await runSteps(r);
      await writeStatus(r, result);
      if (failure !== undefined) throw failure;
      const { is } = result;
      if (is !== "settled" && is !== "waiting" && is !== "stalled" && is !== "unknown")
        throw new Error(`it ends ${is}`);
      const status = (object().status ?? {}) as JsonObject;
      return {
        ops,
        is,
        why: result.why,
        /** The result and its reason in one text. */
        end: `${is} ${result.why.reason}`,
        report: report ?? { ready: result.why, conditions: [], status: {} },
        status,
        /** Whether a patch would have been sent to the API server. */
        wrote: !isDeepStrictEqual(status, before.status),
      };
    },
    context: () => contextOf({}) as unknown as ReconcileContext<never>,
    /** Removes or replaces the status; the annotation of the id stays. */
    lose: (status: JsonObject = {}): void => {
      cluster.status(name, NAME, status);
    },
    status: () => (object().status ?? {}) as JsonObject,
    id: () => identityOf().id,
  };
}

/** The resolved needs of a kind. @throws RangeError for a field that is not among them */
export function resolvedNeeds(
  {
    ids,
    values,
    all = {},
    receiver = RECEIVER,
  }: Pick<RunnerEnvironment, "ids" | "values" | "all"> & Partial<RunnerEnvironment>,
  fingerprint: ResolvedNeeds["fingerprint"],
): ResolvedNeeds {
  const found = <T>(table: Readonly<Record<string, T>>, field: string): T => {
    const value = table[field];
    if (value === undefined) throw new RangeError(`${field} was not asked for`);
    return value;
  };
  return {
    id: (field) => found(ids, field),
    idIfAny: (field) => ids[field],
    value: (field) => found(values, field),
    all: (field) => new Map(Object.entries(found(all, field))),
    fingerprint,
    receiver: () => receiver,
  };
}
