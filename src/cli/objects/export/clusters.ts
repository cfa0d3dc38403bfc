/** Describes clusters and their bindings as resources. Pure. */
import type { Binding, Template } from "../../../platform/areas/templates.ts";
import { clusterPhase } from "../../../platform/codec/states.ts";
import type { ExportContext, ExportItem, SpecData } from "./documents.ts";
import type { FoundCluster } from "./inventory.ts";

export function clusterItem({ record, status }: FoundCluster): ExportItem {
  const isStopped = clusterPhase(status?.status ?? record.status ?? "") === "stopped";
  return {
    kind: "PlatformCluster",
    id: record.id,
    preferredNames: [record.name],
    describe: (context) => ({
      comments: [`Cluster ${JSON.stringify(record.name)}.`],
      spec: {
        connectionRef: context.connectionRef,
        externalId: record.id,
        runState: isStopped ? "Stopped" : undefined,
        lifecycle: observing(context),
      },
    }),
  };
}

/** Returns the id of a binding in an export: the platform identifies a binding by the id of its cluster. */
export function bindingId(clusterId: string): string {
  return `binding/${clusterId}`;
}

export function bindingItem({ record, templates }: FoundCluster, binding: Binding): ExportItem {
  const { templateKey: key = "", templateVersion: version = "" } = binding;
  const template = templates.find((one) => one.key === key && one.version === version);
  const config = openConfig(binding, sensitiveFields(template));
  const secrets = [...config.hidden, ...inputsOf(binding)];
  return {
    kind: "PlatformBinding",
    id: bindingId(record.id),
    preferredNames: [record.name, `${record.name} binding`],
    describe: (context) => ({
      obstacles: [
        ...(template === undefined ? [`The template "${key}" version "${version}" is no longer offered.`] : []),
        ...(secrets.length > 0 ? [`${WITHHELD} ${secrets.join(", ")}.`] : []),
      ],
      spec: {
        connectionRef: context.connectionRef,
        clusterRef: context.clusterRef(record.id),
        template: { key, version },
        layerSelections: selectionsOf(binding),
        managedConfig: config.open,
        lifecycle: observing(context),
      },
    }),
  };
}

function observing({ observeOnly }: ExportContext): SpecData | undefined {
  return observeOnly ? { managementPolicy: "ObserveOnly" } : undefined;
}

const WITHHELD =
  "Values that may be secret are not exported. Put them into a Secret, refer to it by valueFrom, and uncomment:";

/** Returns whether each field that the template describes is sensitive, by "component/field". */
function sensitiveFields(template: Template | undefined): ReadonlyMap<string, boolean> {
  const components = template?.layers.flatMap((layer) => layer.components) ?? [];
  return new Map(
    components.flatMap(({ key, fields }) => fields.map((field) => [`${key}/${field.key}`, field.sensitive] as const)),
  );
}

/** Returns the values of fields that the template does not mark as sensitive, and the paths of all other fields. */
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
        Object.fromEntries(values.map(({ key, value }) => [key, { value: exact(value) }])),
      ]),
    ),
    hidden: all.filter((one) => !isOpen(one)).map(({ component, key }) => `managedConfig.${component}.${key}`),
  };
}

/** Large integers become texts, so that none is rounded. */
function exact(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function inputsOf({ customerProvidedInputs = {} }: Binding): readonly string[] {
  return Object.entries(customerProvidedInputs).flatMap(([component, inputs]) =>
    Object.keys(inputs).map((key) => `customerProvidedInputs.${component}.${key}`),
  );
}

function selectionsOf({ layerSelections = {} }: Binding): SpecData | undefined {
  const selections = Object.entries(layerSelections).filter(([, selected]) => typeof selected === "boolean");
  return selections.length === 0 ? undefined : Object.fromEntries(selections);
}
