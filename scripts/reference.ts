/** Resource → a page of docs/reference/. */
import { API_VERSION } from "../src/api/names.ts";
import { REASONS } from "../src/api/reasons.ts";
import type { CelRule, Resource } from "../src/api/resource.ts";
import { RESOURCES } from "../src/kinds/index.ts";
import { OPERATOR } from "../src/operator/config/names.ts";
import { GRANTS, SECRET_OUTPUTS } from "../src/operator/config/rbac.ts";
import { objectSchema } from "./crd.ts";
import { exampleOf } from "./examples.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import type { Structural } from "./schema.ts";

/** The page of a kind, as Markdown. */
export function kindPage(resource: Resource): string {
  const { spec, status } = objectSchema(resource);
  const { file, yaml } = exampleOf(resource.kind);
  const names = `\`kubectl get ${resource.shortNames.join("`, `kubectl get ")}\` or \`${resource.plural}\``;
  return lines([
    `# ${resource.kind}`,
    resource.description,
    `API version \`${API_VERSION}\`, ${resource.scope === "Cluster" ? "cluster-scoped" : "namespaced"}; ${names}.`,
    `## Example\n\nFrom [\`examples/${file}\`](../../examples/${file}).`,
    `\`\`\`yaml\n${yaml}\n\`\`\``,
    "## spec",
    fieldTable(spec),
    ...ruleSection(resource.rules),
    "## status",
    fieldTable(status),
  ]);
}

/** The page of all reasons of conditions. */
export function reasonsPage(): string {
  const rows = Object.entries(REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${cell(meaning)} |`);
  return lines([
    "# Reasons",
    "What the `reason` of a condition means. `Deployed`, `ClusterDeployed` and `IngressReady` have the platform's state verbatim as their reason, if it is known.",
    ["| reason | meaning |", "|---|---|", ...rows].join("\n"),
  ]);
}

/** The page of the operator's own rights. */
export function permissionsPage(): string {
  const rows = [...GRANTS, SECRET_OUTPUTS].map(({ group, resources, verbs, names, where, why }) => {
    const what = resources.map((resource) => `\`${qualified(group, resource)}\``).join(", ");
    const only = names === undefined ? "" : ` named \`${names.join("`, `")}\``;
    return `| ${what}${only} | ${verbs.join(", ")} | ${where} | ${cell(why)} |`;
  });
  return lines([
    "# Permissions",
    "What the operator's ServiceAccount may do, and why. The chart and `deploy/install.yaml` grant it; `deploy/rbac/` is " +
      "the same for an operator that runs outside of the cluster.",
    ["| resource | verbs | where | because it |", "|---|---|---|---|", ...rows].join("\n"),
    `The ClusterRole \`${SECRET_OUTPUTS.role}\` is not bound by default, since a subject that may create and patch Secrets can write any ` +
      "Secret of a namespace. Bind it where a PlatformCluster has `spec.writeTokenSecretToRef`, or a PlatformDatabase or " +
      "PlatformApplication `spec.writeConnectionSecretToRef`, and nowhere else; whoever may create them there can get a " +
      "token of any cluster, and the credentials of any database, that their connection reaches:",
    `\`\`\`sh\nkubectl create rolebinding allow-secret-outputs --namespace <namespace> \\\n  --clusterrole ${SECRET_OUTPUTS.role} --serviceaccount ${OPERATOR}:${OPERATOR}\n\`\`\``,
    "Users get `platform-operator-view` and `platform-operator-edit` through the roles `view`, `edit` and `admin` of " +
      "Kubernetes. A user who may edit a PlatformConnection or read its Secret can use the full rights of its token.",
    "## On its machine",
    "Start the operator with these flags of Node, as the demo and the tests do. Each `--allow-fs-read=…` names the program, or a file or folder of the program or its credentials; writes to files are never allowed. The flags are only for `run`: a kubeconfig with a credential plugin needs a child process.",
    [
      "| flag | what it prevents |",
      "|---|---|",
      ...NODE_FLAGS.map(({ flag, why }) => `| \`${flag}\` | ${cell(why)} |`),
    ].join("\n"),
  ]);
}

/** Returns a resource in kubectl's spelling: `plural.group/subresource`. */
function qualified(group: string, resource: string): string {
  const [plural = "", ...subresource] = resource.split("/");
  return [group === "" ? plural : `${plural}.${group}`, ...subresource].join("/");
}

/** The page that links all others. */
export function indexPage(): string {
  const rows = RESOURCES.map(
    ({ kind, shortNames, description }) =>
      `| [${kind}](${kind}.md) | \`${shortNames.join("`, `")}\` | ${cell(description)} |`,
  );
  return lines([
    "# Reference",
    ["| kind | short name | is |", "|---|---|---|", ...rows].join("\n"),
    "[Annotations](annotations.md) lists the annotations of users and of the operator; [Reasons](reasons.md) explains " +
      "the `reason` of every condition; [Permissions](permissions.md) lists what the " +
      "operator may do in the cluster; [Metrics](metrics.md) lists the metrics; [Commands](commands.md) is " +
      "the command line.",
  ]);
}

function lines(blocks: readonly string[]): string {
  return `<!-- Generated by npm run generate. -->\n\n${blocks.join("\n\n")}\n`;
}

function fieldTable(schema: Structural): string {
  return ["| field | type | description |", "|---|---|---|", ...rows(schema, "")].join("\n");
}

function rows(schema: Structural, path: string): readonly string[] {
  const children: readonly (readonly [string, Structural, boolean])[] = [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, child]) =>
        [path === "" ? name : `${path}.${name}`, child, schema.required?.includes(name) ?? false] as const,
    ),
    ...(schema.additionalProperties === undefined ? [] : [[`${path}.*`, schema.additionalProperties, false] as const]),
    ...(schema.items?.type === "object" ? [[`${path}[]`, schema.items, false] as const] : []),
  ];
  return children.flatMap(([at, child, required]) => [
    `| \`${at}\` | ${typeOf(child)}${required ? ", required" : ""} | ${cell(describe(child))} |`,
    ...rows(child, at),
  ]);
}

function typeOf(schema: Structural): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(" \\| ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema["x-kubernetes-int-or-string"] === true) return "string";
  return `${schema.type ?? "any"}${schema.nullable === true ? " or null" : ""}`;
}

function describe(schema: Structural): string {
  return [schema.description, range(schema), schema.pattern === undefined ? "" : `Pattern: \`${schema.pattern}\`.`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}

function range({ minimum, maximum }: Structural): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}.`;
  return minimum === undefined ? "" : `At least ${minimum}.`;
}

function ruleSection(rules: readonly CelRule[]): readonly string[] {
  if (rules.length === 0) return [];
  return ["## Rules", rules.map(({ message }) => `- ${message}`).join("\n")];
}

/** Escapes bars in the text of a cell, which would end it. */
function cell(value: string): string {
  return value.replaceAll("|", String.raw`\|`);
}
