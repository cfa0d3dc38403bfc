/** Writes manifests of clusters and their bindings. Pure. */
import type { Binding, Template } from "../../../platform/areas/templates.ts";
import { clusterPhase } from "../../../platform/codec/states.ts";
import type { FoundCluster } from "./inventory.ts";
import { documentOf, type Document, type SpecData } from "./manifests.ts";
import { bindingId, unlessHeld, type Scribe } from "./scribe.ts";

/** @returns the cluster and its binding */
export function clusterDocuments(found: FoundCluster, scribe: Scribe): readonly Document[] {
  const { record, status, binding } = found;
  const isStopped = clusterPhase(status?.status ?? record.status ?? "") === "stopped";
  const cluster = unlessHeld(scribe, "PlatformCluster", record.id, () =>
    documentOf({
      kind: "PlatformCluster",
      name: scribe.nameOf(record.id),
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
  if (binding === undefined) return [cluster];
  const id = bindingId(record.id);
  return [cluster, unlessHeld(scribe, "PlatformBinding", id, () => bindingDocument(found, binding, scribe))];
}

function bindingDocument({ record, templates }: FoundCluster, binding: Binding, scribe: Scribe): Document {
  const { templateKey: key = "", templateVersion: version = "" } = binding;
  const template = templates.find((one) => one.key === key && one.version === version);
  const config = openConfig(binding, sensitiveFields(template));
  const secrets = [...config.hidden, ...keysOf("customerProvidedInputs", binding.customerProvidedInputs)];
  const obstacles = [
    ...(template === undefined ? [`The template "${key}" version "${version}" is not offered any more.`] : []),
    ...(secrets.length > 0 ? [`${WITHHELD} ${secrets.join(", ")}.`] : []),
  ];
  return {
    ...documentOf({
      kind: "PlatformBinding",
      name: scribe.nameOf(bindingId(record.id)),
      namespace: scribe.namespace,
      comments: obstacles,
      spec: {
        connectionRef: scribe.connectionRef,
        clusterRef: scribe.clusterRef(record.id),
        template: { key, version },
        layerSelections: selectionsOf(binding),
        managedConfig: config.open,
        lifecycle: scribe.observeOnly ? { managementPolicy: "ObserveOnly" } : undefined,
      },
    }),
    ...(obstacles.length === 0 ? {} : { disabled: true as const }),
  };
}

const WITHHELD =
  "Values that may be secret are not written here. Put them into a Secret, refer to it by valueFrom, and take the comment signs away:";

/**
 * Returns the sensitive fields, as "component/field"; fields that the template does not describe are not among them.
 */
function sensitiveFields(template: Template | undefined): ReadonlyMap<string, boolean> {
  const components = template?.layers.flatMap((layer) => layer.components) ?? [];
  return new Map(
    components.flatMap(({ key, fields }) => fields.map((field) => [`${key}/${field.key}`, field.sensitive] as const)),
  );
}

/** Returns the values of fields that the template does not mark as sensitive, and the paths of the others. */
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

/** Large integers become texts, so that none is rounded. */
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
