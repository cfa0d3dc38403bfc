/** Hides the type parameters of the kinds from the engine. */
import type { KubeObject } from "../kube/api/types.ts";
import { secretsUsedBy } from "./connections/secrets.ts";
import type { Ports } from "./context/context.ts";
import type { ConnectionKind, ConnectionTypes } from "./contract/connection.ts";
import type { FieldClaim, Kind, KindTypes, RatedApi, Reference, Uuid } from "./contract/kind.ts";
import { parseSpec } from "./contract/spec.ts";
import { recordedIdIn, memoryIn } from "./contract/status.ts";
import { connectionReconciler } from "./reconcile/connection.ts";
import { recordOrphan } from "./reconcile/delete.ts";
import type { Reconcile } from "./reconcile/guard.ts";
import { reconciler } from "./reconcile/reconcile.ts";

/** A kind without its type parameters. */
export interface Bound<Api extends RatedApi> {
  readonly kind: string;
  references(object: KubeObject): readonly Reference[];
  /** Returns the id that the spec names as the resource's own. */
  claim(object: KubeObject): Uuid | undefined;
  /** Returns the claims to fields that the status holds. */
  fieldClaims(object: KubeObject): readonly FieldClaim[];
  /** Records the orphan that a deleted object leaves on the platform. */
  recordOrphan(ports: Ports<Api>, object: KubeObject): void;
  attach(ports: Ports<Api>): Reconcile;
}

/** A kind of connections without its type parameters. */
export interface BoundConnection<Api extends RatedApi> {
  readonly kind: string;
  /** Returns the names of the Secrets that a connection uses. */
  secrets(object: KubeObject): readonly string[];
  attach(ports: Ports<Api>): Reconcile;
}

/** All kinds. */
export interface BoundKinds<Api extends RatedApi> {
  readonly connections: readonly BoundConnection<Api>[];
  readonly managed: readonly Bound<Api>[];
}

/**
 * Asks a kind. If it throws, the reconcile of the object reports that; here the change has to reach the queue despite
 * the error. @returns undefined if the kind throws
 */
function attempt<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}

/** Hides the type parameters of a kind of connections. */
export function bindConnection<K extends ConnectionTypes>(kind: ConnectionKind<K>): BoundConnection<K["api"]> {
  return {
    kind: kind.resource.kind,
    secrets: (object) =>
      attempt(() => {
        const { data } = parseSpec(kind.resource.spec, object);
        return data && secretsUsedBy(kind.settings(data));
      }) ?? [],
    attach: (ports) => connectionReconciler(ports, kind),
  };
}

/** Hides the type parameters of a kind. */
export function bind<K extends KindTypes>(kind: Kind<K>): Bound<K["api"]> {
  const ask = <T>(object: KubeObject, question: (spec: K["spec"]) => T): T | undefined =>
    attempt(() => {
      const { data } = parseSpec(kind.resource.spec, object);
      return data === undefined ? undefined : question(data);
    });
  const recall = <T>(object: KubeObject, question: (memory: K["memory"]) => T): T | undefined =>
    attempt(() => question(memoryIn(kind.resource, object)));
  return {
    kind: kind.resource.kind,
    references: (object) => ask(object, (spec) => kind.needs(spec).references) ?? [],
    claim: (object) => ask(object, (spec) => kind.claim(spec)),
    fieldClaims: (object) => {
      if (kind.fieldClaims === undefined) return [];
      const id = recordedIdIn(object);
      return recall(object, (memory) => kind.fieldClaims?.({ id, memory, inputs: undefined })) ?? [];
    },
    recordOrphan: (ports, object) => {
      attempt(() => {
        recordOrphan(ports, kind, object);
      });
    },
    attach: (ports) => reconciler(ports, kind),
  };
}
