import type { Component, Constraints, Field, Layer, Narrowing, TemplateVersion } from "./catalog.ts";

const everywhere = { modes: ["PLATFORM_MANAGED", "CUSTOMER_MANAGED"], providers: null } as const;

function field(key: string, type: Field["type"], rest: Partial<Omit<Field, "key" | "type">> = {}): Field {
  const label = key.replaceAll(/([A-Z])/g, " $1").toLowerCase();
  return {
    key,
    type,
    required: false,
    defaultValue: null,
    label,
    description: null,
    sensitive: false,
    constraints: {},
    narrowings: [],
    ...rest,
  };
}

function component(key: string, kind: Component["kind"], fields: readonly Field[]): Component {
  return { key, kind, description: null, fields };
}

const instanceTypes: Constraints = {
  allowedValues: ["small", "medium", "large", "t3.medium", "m6i.large", "e2-standard-4"],
};
const instanceNarrowings: readonly Narrowing[] = [
  { provider: "AWS", constraints: { allowedValues: ["t3.medium", "m6i.large"] } },
  { provider: "GCP", constraints: { allowedValues: ["e2-standard-4"] } },
  { mode: "CUSTOMER_MANAGED", constraints: { max: 10 } },
];

const networking: Layer = {
  key: "networking",
  mandatory: true,
  enabledByDefault: true,
  ...everywhere,
  description: "Ingress and DNS",
  components: [
    component("ingress", "HELM", [
      field("replicas", "number", { defaultValue: "2", constraints: { min: 1, max: 20 } }),
      field("domain", "string", {
        required: true,
        constraints: {
          minLength: 4,
          maxLength: 253,
          pattern: String.raw`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$`,
        },
      }),
      field("accessLogs", "bool", { defaultValue: "false" }),
      field("dnsApiToken", "string", { sensitive: true, constraints: { minLength: 8 } }),
    ]),
  ],
};

const nodes: Layer = {
  key: "nodes",
  mandatory: true,
  enabledByDefault: true,
  modes: ["PLATFORM_MANAGED"],
  providers: ["AWS", "GCP", "AZURE", "SCW"],
  description: "Node pools",
  components: [
    component("nodePool", "TERRAFORM", [
      field("instanceType", "string", {
        required: true,
        defaultValue: "t3.medium",
        constraints: instanceTypes,
        narrowings: instanceNarrowings,
      }),
      field("maxNodes", "number", {
        defaultValue: "5",
        constraints: { min: 1, max: 100 },
        narrowings: [{ mode: "CUSTOMER_MANAGED", constraints: { max: 10 } }],
      }),
      field("diskBytes", "number", { constraints: { min: 1, max: 9_223_372_036_854_775_807n } }),
    ]),
  ],
};

const observability: Layer = {
  key: "observability",
  mandatory: false,
  enabledByDefault: true,
  ...everywhere,
  description: "Metrics and logs",
  components: [
    component("metrics", "HELM", [
      field("retentionDays", "number", { defaultValue: "14", constraints: { min: 1, max: 365 } }),
      field("storageClass", "string", { constraints: { allowedValues: ["standard", "fast"] } }),
    ]),
    component("logs", "HELM", [field("enabled", "bool", { defaultValue: "true" })]),
  ],
};

const gpu: Layer = {
  key: "gpu",
  mandatory: false,
  enabledByDefault: false,
  modes: ["PLATFORM_MANAGED"],
  providers: ["AWS", "GCP"],
  description: "Accelerators",
  components: [
    component("gpuOperator", "HELM", [field("driverVersion", "string", { constraints: { maxLength: 32 } })]),
  ],
};

function template(version: string, status: TemplateVersion["status"], layers: readonly Layer[]): TemplateVersion {
  return {
    key: "kubernetes-essentials",
    version,
    status,
    description: "What a cluster needs before its first application",
    organizations: null,
    layers,
  };
}

/** @returns the catalog that a simulator starts with; one template belongs to `otherOrganizationId` only */
export function initialTemplates(otherOrganizationId: string): TemplateVersion[] {
  return [
    template("1.0.0", "DEPRECATED", [networking, observability]),
    template("1.1.0", "PUBLISHED", [networking, nodes, observability]),
    template("1.2.0", "PUBLISHED", [networking, nodes, observability, gpu]),
    template("2.0.0", "DRAFT", [networking, nodes, observability, gpu]),
    {
      key: "partner-platform",
      version: "1.0.0",
      status: "PUBLISHED",
      description: "Of another organization",
      organizations: [otherOrganizationId],
      layers: [networking],
    },
  ];
}
