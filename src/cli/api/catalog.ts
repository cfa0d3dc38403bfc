/** `catalog`: the platform templates of the organization. */
import type { Template } from "../../platform/areas/templates.ts";
import type { Entry } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { print, printText, type View } from "../base/render.ts";
import { apiCommand } from "./declare.ts";

const view: View<Template> = {
  columns: {
    TEMPLATE: "key",
    VERSION: "version",
    STATUS: "status",
    LAYERS: ({ layers }) => layers.map(({ key }) => key).join(","),
  },
  wide: { DESCRIPTION: "description" },
  name: ({ key, version }) => `template/${key}@${version}`,
};

const catalog = apiCommand({
  name: "catalog",
  about: "list the platform templates, or write PlatformBindings for them",
  operations: ["listTemplates"],
  formats: LIST_FORMATS,
  args: [{ name: "template", about: "key of one template, or key@version", optional: true }],
  flags: {
    mode: {
      type: "text",
      value: "MODE",
      about: "mode of the cluster, e.g. PLATFORM_MANAGED, to select the constraints",
    },
    provider: { type: "text", value: "PROVIDER", about: "cloud provider of the cluster, e.g. AWS; requires --mode" },
    cluster: { type: "text", value: "ID", about: "id of the cluster, for -o yaml" },
  },
  details:
    "-o yaml writes a PlatformBinding for each template, ready to be filled in: defaults as values, constraints as " +
    "comments, sensitive fields as references to a Secret. -o json writes the templates themselves.",
  run: async (call) => {
    const { mode, provider, cluster } = call.flags;
    if ((mode === undefined) !== (provider === undefined)) {
      throw new UsageError("--mode and --provider go together: give both or none.");
    }
    const context =
      mode === undefined || provider === undefined ? undefined : { clusterMode: mode, cloudProvider: provider };
    const platform = await call.platform();
    const shown = chosen(await platform.templates.list(context), call.args.template);
    if (call.output !== "yaml") return print(call, view, shown);
    const { skeletonOf } = await import("./skeleton.ts");
    printText(call, shown.map((template) => skeletonOf(template, { cluster, context })).join("---\n"));
  },
});

export const CATALOG: readonly Entry[] = [
  catalog,
  { ...catalog, name: "templates", about: "same as catalog", hidden: true },
];

function chosen(templates: readonly Template[], wanted: string | undefined): readonly Template[] {
  if (wanted === undefined) return templates;
  const found = templates.filter(({ key, version }) => wanted === key || wanted === `${key}@${version}`);
  if (found.length > 0) return found;
  const known = templates.map(({ key, version }) => `${key}@${version}`).join(", ");
  throw new CliError(`The platform lists no template ${JSON.stringify(wanted)}. It has ${known || "none"}.`);
}
