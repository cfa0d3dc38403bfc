/** What the parts of the binding exchange. */
import type { Fingerprint, ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { Binding, Template } from "../../platform/areas/templates.ts";
import type { Platform } from "../../platform/index.ts";
import type { BindingMemory, BindingSpec } from "./crd.ts";

/** A value of the spec, or of what it refers to: one field of one component. */
export interface Leaf {
  /** E.g. `spec.managedConfig[ingress][domain]`. */
  readonly path: string;
  readonly component: string;
  readonly key: string;
  readonly value: string | number | boolean;
  readonly from: "spec" | "Secret" | "ConfigMap";
}

export interface Inputs {
  readonly clusterId: Uuid;
  /** managedConfig, by path. */
  readonly config: readonly Leaf[];
  /** customerProvidedInputs, by path. */
  readonly customer: readonly Leaf[];
  /** The fingerprint of all that the spec wants bound. */
  readonly fingerprint: Fingerprint;
}

/** The mode and provider of a cluster. */
export interface ClusterKind {
  readonly mode: string;
  readonly provider: string;
}

/** What the platform shows of the cluster. */
export interface ClusterSeen {
  /** Whether it is in the organization's list of clusters; undefined where there is no such list. */
  readonly listed: boolean | undefined;
  /** undefined: not known, and nothing is excluded. */
  readonly kind: ClusterKind | undefined;
}

export interface Seen {
  readonly cluster: ClusterSeen;
  /** The template and version of the spec; undefined when the platform does not list them. */
  readonly template: Template | undefined;
  /** What the platform lists. */
  readonly offered: readonly { readonly key: string; readonly version: string }[];
  /** What is wrong with the spec by the template's rules, in a fixed order, without values. */
  readonly problems: readonly string[];
  /** The binding as the platform shows it, "none" when there is none; undefined where it is not shown. */
  readonly bound: Binding | "none" | undefined;
  /** Whether this reconcile has written the binding. */
  readonly sent: boolean;
}

/** The types of the kind. */
export interface BindingTypes {
  readonly spec: BindingSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: BindingMemory;
  readonly action: "put";
  readonly api: Platform;
}

export type BindingContext = ReconcileContext<BindingTypes>;

/** Compares texts by code unit, which gives the same order everywhere. */
export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
