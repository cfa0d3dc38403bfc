/** Clusters and what is bound to them as manifests. Pure. */
import { clusterPhase } from "../../../platform/states.ts";
import type { Binding, Template } from "../../../platform/templates.ts";
import { RESOURCES } from "../../../resources/index.ts";
import type { FoundCluster } from "./inventory.ts";
import { documentOf, type Document, type SpecData } from "./manifests.ts";
import { unlessHeld, type Scribe } from "./scribe.ts";

/** @returns the cluster, where a custom resource describes clusters, and its binding. */
export function clusterDocuments(found: FoundCluster, scribe: Scribe): readonly Document[] {
  const { record, status, binding } = found;
  const name = scribe.nameOf(record.id);
  const isStopped = clusterPhase(status?.status ?? record.status ?? "") === "stopped";
  const cluster = unlessHeld(scribe, "PlatformCluster", record.id, () =>
    documentOf({
      kind: "PlatformCluster",
      name,
      namespace: scribe.namespace,
      comments: [`Cluster ${JSON.stringify(record.name)}.`],
      spec: {
        connectionRef: scribe.connectionRef,
        externalId: record.id,
        runState: isStopped ? "Stopped" : undefined,
        lifecycle: scribe.observeOnly ? { managementPolicy: "ObserveOnly" } : undefined,
      },
    }),
  );
  const describesClusters = RESOURCES.some(({ kind }) => kind === "PlatformCluster");
  return [
    ...(describesClusters ? [cluster] : []),
    ...(binding === undefined ? [] : [bindingDocument(found, binding, scribe)]),
  ];
}

function bindingDocument({ record, templates }: FoundCluster, binding: Binding, scribe: Scribe): Document {
  const fields = sensitiveFields(templates, binding);
  const config = openConfig(binding, fields);
  const secrets = [...config.hidden, ...keysOf("customerProvidedInputs", binding.customerProvidedInputs)];
  return {
    ...documentOf({
      kind: "PlatformBinding",
      name: scribe.nameOf(record.id),
      namespace: scribe.namespace,
      comments: secrets.length === 0 ? [OBSERVED] : [`${WITHHELD} ${secrets.join(", ")}.`],
      spec: {
        connectionRef: scribe.connectionRef,
        clusterRef: { externalId: record.id },
        template: { key: binding.templateKey, version: binding.templateVersion },
        layerSelections: selectionsOf(binding),
        managedConfig: config.open,
        lifecycle: { managementPolicy: "ObserveOnly" },
      },
    }),
    ...(secrets.length === 0 ? {} : { disabled: true as const }),
  };
}

const OBSERVED =
  "Only observed: under managementPolicy Manage the operator writes the binding once, which changes nothing by itself.";
const WITHHELD =
  "Values that may be secret are not written here. Put them into a Secret, refer to it by valueFrom, and take the comment signs away:";

/** What must not be shown; undefined when that is not known. */
function sensitiveFields(templates: readonly Template[], binding: Binding): ReadonlyMap<string, boolean> {
  const template = templates.find(
    ({ key, version }) => key === binding.templateKey && version === binding.templateVersion,
  );
  const components = template?.layers.flatMap((layer) => layer.components) ?? [];
  return new Map(
    components.flatMap(({ key, fields }) => fields.map((field) => [`${key}/${field.key}`, field.sensitive] as const)),
  );
}

/** Values of fields that the template knows as open; of the others, the paths. */
function openConfig({ managedConfig = {} }: Binding, sensitive: ReadonlyMap<string, boolean>) {
  const all = Object.entries(managedConfig).flatMap(([component, values]) =>
    Object.entries(values).map(([key, value]) => ({ component, key, value })),
  );
  const isOpen = ({ component, key }: (typeof all)[number]): boolean => sensitive.get(`${component}/${key}`) === false;
  const byComponent = Map.groupBy(all.filter(isOpen), ({ component }) => component);
  return {
    open: Object.fromEntries(
      [...byComponent].map(([component, values]) => [
        component,
        Object.fromEntries(values.map(({ key, value }) => [key, { value: plain(value) }])),
      ]),
    ),
    hidden: all.filter((one) => !isOpen(one)).map(({ component, key }) => `managedConfig.${component}.${key}`),
  };
}

/** Long integers as texts, so that nothing rounds them. */
function plain(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function keysOf(member: string, values: Readonly<Record<string, SpecData>> = {}): readonly string[] {
  return Object.entries(values).flatMap(([component, inputs]) =>
    Object.keys(inputs).map((key) => `${member}.${component}.${key}`),
  );
}

function selectionsOf({ layerSelections = {} }: Binding): SpecData | undefined {
  const selections = Object.entries(layerSelections).filter(([, selected]) => typeof selected === "boolean");
  return selections.length === 0 ? undefined : Object.fromEntries(selections);
}
