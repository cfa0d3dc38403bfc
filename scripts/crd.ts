/** Resource → CustomResourceDefinition. */
import { GROUP, VERSION } from "../src/api/names.ts";
import type { PrinterColumn, Resource } from "../src/api/resource.ts";
import { structural } from "./schema.ts";
import type { Structural } from "./schema.ts";

/** The schema of a whole object of a kind. */
export interface ObjectSchema {
  readonly spec: Structural;
  readonly status: Structural;
}

/** @throws Error when a CRD cannot express the resource */
export function objectSchema(resource: Resource): ObjectSchema {
  return {
    spec: { description: "What is wanted.", ...structural(resource.spec, `${resource.kind}.spec`) },
    status: {
      description: "What the operator found and did. Written by the operator alone.",
      ...structural(resource.status, `${resource.kind}.status`),
    },
  };
}

/** Returns the CRD of a kind, with its members in the usual order. */
export function customResourceDefinition(resource: Resource): object {
  const { kind, plural, shortNames, scope } = resource;
  const { spec, status } = objectSchema(resource);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        // Not for cluster-scoped kinds: app teams may not list them, so `kubectl get platform` would fail.
        ...(scope === "Namespaced" && { categories: ["platform"] }),
      },
      scope,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: resource.columns.map(column),
          selectableFields: resource.selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: {
            openAPIV3Schema: {
              description: resource.description,
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec,
                status: {
                  ...status,
                  // Only the operator writes it: one entry in managedFields for the whole status makes writes cheaper.
                  "x-kubernetes-map-type": "atomic",
                  // Tools that use kstatus then see a new object as unobserved from the start.
                  default: { observedGeneration: -1 },
                },
              },
              ...(resource.rules.length > 0 && { "x-kubernetes-validations": resource.rules }),
            },
          },
        },
      ],
    },
  };
}

function column({ name, type, description, jsonPath, priority }: PrinterColumn): object {
  return { name, type, description, jsonPath, ...(priority !== undefined && { priority }) };
}
