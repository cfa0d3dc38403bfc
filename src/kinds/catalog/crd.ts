import { z } from "zod";

import { clusterContext, connectionRef, outputMetadata, uuid, matches } from "../../api/fields.ts";
import { column, columnsOf, defineResource, wide } from "../../api/resource.ts";
import { count, observingStatus, text, time } from "../../api/status.ts";

const SECTIONS = ["Templates", "CloudProviders", "DatabaseTypes", "GitRepositories"] as const;

const spec = z.object({
  connectionRef: connectionRef.optional(),
  include: z
    .array(z.enum(SECTIONS).describe("One part of the catalog."))
    .min(1)
    .max(SECTIONS.length)
    .default(["Templates"])
    .describe(
      "Sections to read: Templates, CloudProviders (with regions and zones), DatabaseTypes, GitRepositories (which some platforms only allow for API tokens). One that cannot be read keeps its last content. Defaults to Templates.",
    )
    .meta({ "x-kubernetes-list-type": "set" }),
  cluster: clusterContext.optional(),
  configMap: z
    .object({ metadata: outputMetadata("ConfigMap") })
    .optional()
    .describe("The ConfigMap that the catalog is written into."),
  gitTokenId: uuid
    .optional()
    .describe("Id of the platform's git token whose repositories are listed. The platform chooses it when absent."),
  interval: matches(/^([1-9][0-9]{0,4}m|[1-9][0-9]{0,3}h)$/, 16, "must be whole minutes or hours, e.g. 30m or 1h")
    .default("10m")
    .describe("Interval at which the catalog is read again, e.g. 30m or 1h. Defaults to 10m."),
});

export type CatalogSpec = z.output<typeof spec>;
export type CatalogSection = (typeof SECTIONS)[number];

const record = {
  digest: text.describe("SHA-256 of the content; it changes when the catalog does."),
  changedAt: time.describe("Time when the operator first read this content."),
};

export type CatalogMemory = z.output<typeof platformCatalog.memory>;

export const platformCatalog = defineResource({
  kind: "PlatformCatalog",
  lifecycle: "None",
  shortNames: ["pcat"],
  description:
    "The platform's catalog, read periodically into a ConfigMap. Where the operator is limited to namespaces, or installed " +
    "without its admission policy, a cluster admin allows that by the ClusterRole platform-operator-configmap-outputs.",
  spec,
  memory: record,
  recorded: {},
  status: observingStatus({
    ...record,
    configMap: text.optional().describe("Name of the ConfigMap in the same namespace that holds the content."),
    counts: z
      .object({
        templates: count.optional().describe("Number of templates."),
        cloudProviders: count.optional().describe("Number of cloud providers."),
        databaseTypes: count.optional().describe("Number of database types."),
        gitRepositories: count.optional().describe("Number of git repositories."),
      })
      .optional()
      .describe("Number of entries of each section."),
  }),
  columns: columnsOf(
    [
      column("Templates", ".status.counts.templates", "Number of templates.", "integer"),
      column("ConfigMap", ".status.configMap", "Holds the content."),
    ],
    [wide("Changed", ".status.changedAt", "Time since the content changed.", "date")],
  ),
});
