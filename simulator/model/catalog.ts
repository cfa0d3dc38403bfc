/** One template version in the platform's catalog. Callers see some of the versions, without narrowings. */
export interface TemplateVersion {
  readonly key: string;
  readonly version: string;
  status: "DRAFT" | "PUBLISHED" | "DEPRECATED";
  readonly description: string | null;
  /** The organizations that may use it; null for all. */
  readonly organizations: readonly string[] | null;
  readonly layers: readonly Layer[];
}

export interface Layer {
  readonly key: string;
  readonly mandatory: boolean;
  readonly enabledByDefault: boolean;
  readonly modes: readonly ClusterMode[];
  /** null for every provider. */
  readonly providers: readonly CloudVendor[] | null;
  readonly description: string | null;
  readonly components: readonly Component[];
}

export interface Component {
  readonly key: string;
  readonly kind: "HELM" | "TERRAFORM";
  readonly description: string | null;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly key: string;
  readonly type: "string" | "number" | "bool";
  readonly required: boolean;
  /** Always text, whatever the type. */
  readonly defaultValue: string | null;
  readonly label: string;
  readonly description: string | null;
  readonly sensitive: boolean;
  readonly constraints: Constraints;
  /** Narrower constraints for given modes and providers of a cluster. */
  readonly narrowings: readonly Narrowing[];
}

export interface Constraints {
  readonly allowedValues?: readonly string[] | undefined;
  /** int64, so a bigint beyond 2^53. */
  readonly min?: number | bigint | undefined;
  readonly max?: number | bigint | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
}

export interface Narrowing {
  /** If absent, every mode or every provider. */
  readonly mode?: ClusterMode | undefined;
  readonly provider?: CloudVendor | undefined;
  readonly constraints: Constraints;
}

export const clusterModes = ["PLATFORM_MANAGED", "CUSTOMER_MANAGED"] as const;
export type ClusterMode = (typeof clusterModes)[number];

export const cloudVendors = [
  "AWS",
  "SCW",
  "GCP",
  "DO",
  "AZURE",
  "OVH",
  "CIVO",
  "HETZNER",
  "ORACLE",
  "IBM",
  "UNKNOWN",
] as const;
export type CloudVendor = (typeof cloudVendors)[number];

/** The mode and provider of a cluster, if the caller gives them. */
export interface TemplateContext {
  readonly mode: ClusterMode;
  readonly provider: CloudVendor;
}

/** @returns the template versions that a caller sees: published ones, of its organization or for all */
export function catalogOf(templates: readonly TemplateVersion[], organizationId: string): readonly TemplateVersion[] {
  return templates.filter((template) => template.status === "PUBLISHED" && isAvailable(template, organizationId));
}

/** @returns whether an organization may use the template */
export function isAvailable(template: TemplateVersion, organizationId: string): boolean {
  return template.organizations === null || template.organizations.includes(organizationId);
}

/** @returns a field's constraints, narrowed to the cluster's context if there is one */
export function constraintsOf(field: Field, context: TemplateContext | undefined): Constraints {
  if (context === undefined) return field.constraints;
  const fitting = field.narrowings.filter(
    ({ mode, provider }) =>
      (mode === undefined || mode === context.mode) && (provider === undefined || provider === context.provider),
  );
  const narrowed: Constraints = { ...field.constraints };
  for (const { constraints } of fitting) Object.assign(narrowed, constraints);
  return narrowed;
}
