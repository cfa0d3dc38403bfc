/** The pages of docs/reference/, from what the code declares. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { z } from "zod";

import { ANNOTATIONS } from "../src/api/annotations.ts";
import * as names from "../src/api/names.ts";
import { REASONS } from "../src/api/reasons.ts";
import type { CelRule, Resource } from "../src/api/resource.ts";
import { managedStatus, WRITE_LEDGER } from "../src/api/status.ts";
import { API_OPERATIONS, parametersOf } from "../src/cli/api.ts";
import { createOperatorProgram, createPluginProgram } from "../src/cli/commands.ts";
import { operatorHost } from "../src/cli/index.ts";
import { runHelp } from "../src/cli/run.ts";
import { OPERATOR } from "../src/config/names.ts";
import { REQUEST_ANNOTATIONS } from "../src/engine/policies/policy.ts";
import { RESOURCES } from "../src/kinds/index.ts";
import { platformProject } from "../src/kinds/project/index.ts";
import { createStore } from "../src/kube/watch/store.ts";
import { createMetrics } from "../src/observability/metrics/index.ts";
import { CONFIG_MAP_OUTPUTS, GRANTS, SECRET_OUTPUTS } from "../src/operator/rbac.ts";
import { operationEntry } from "../src/platform/codec/operations.ts";
import { objectSchema } from "./crd.ts";
import { NODE_FLAGS } from "./image.ts";
import type { Structural } from "./schema.ts";

/** @returns all pages, by file name. @throws Error for an annotation that is not described here */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ...RESOURCES.map((resource) => [`${resource.kind}.md`, kindPage(resource)] as const),
    ["README.md", indexPage()],
    ["annotations.md", annotationsPage()],
    ["commands.md", commandsPage()],
    ["metrics.md", metricsPage()],
    ["permissions.md", permissionsPage()],
    ["reasons.md", reasonsPage()],
    ["status.md", statusPage()],
  ]);
}

/** The page of a kind, as Markdown. */
function kindPage(resource: Resource): string {
  const { spec, status } = objectSchema(resource);
  const { file, yaml } = exampleOf(resource.kind);
  const called = `\`kubectl get ${resource.shortNames.join("`, `kubectl get ")}\` or \`${resource.plural}\``;
  return lines([
    `# ${resource.kind}`,
    resource.description,
    `API version \`${names.API_VERSION}\`, ${resource.scope === "Cluster" ? "cluster-scoped" : "namespaced"}; ${called}.`,
    `## Example\n\nFrom [\`examples/${file}\`](../../examples/${file}).`,
    `\`\`\`yaml\n${yaml}\n\`\`\``,
    "## spec",
    fieldTable(spec),
    ...ruleSection(resource.rules),
    "## status",
    "Beside the [members of every status](status.md):",
    fieldTable({ ...status, properties: membersOf(status, (name) => !SHARED.has(name)) }),
  ]);
}

/** The members of a status that several kinds share. */
const SHARED = new Set(Object.keys(managedStatus({}).shape));

function membersOf({ properties = {} }: Structural, has: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => has(name)));
}

/** The page of these members. */
function statusPage(): string {
  const { status } = objectSchema(platformProject);
  return lines([
    "# Status",
    "The members of `status` that the kinds share, as far as a kind has an object on the platform. The page of a kind has its own members.",
    fieldTable({ ...status, properties: membersOf(status, (name) => SHARED.has(name)) }),
  ]);
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
    ...(at === WRITE_LEDGER ? [] : rows(child, at)),
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

const EXAMPLES = join(import.meta.dirname, "../examples");

interface Quoted {
  /** Its path below examples/. */
  readonly file: string;
  /** The text of the manifest without the comments above it. */
  readonly yaml: string;
}

/** Returns the first manifest of a kind, preferably of the quickstart. @throws Error when there is none */
function exampleOf(kind: string): Quoted {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  const isOther = (name: string): number => (name.startsWith("quickstart") ? 0 : 1);
  const ordered = files.toSorted((left, right) => isOther(left) - isOther(right) || (left < right ? -1 : 1));
  for (const file of ordered) {
    const documents = readFileSync(join(EXAMPLES, file), "utf8").split(/^---\n/m);
    const found = documents.find((text) => new RegExp(`^kind: ${kind}$`, "m").test(text));
    if (found !== undefined) return { file, yaml: found.slice(found.search(/^[^#\s]/m)).trimEnd() };
  }
  throw new Error(`no file in examples/ has a ${kind}`);
}

/** The page of all reasons of conditions. */
function reasonsPage(): string {
  const rows = Object.entries(REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${cell(meaning)} |`);
  return lines([
    "# Reasons",
    "What the `reason` of a condition means. `Deployed`, `ClusterDeployed` and `IngressReady` have the platform's state verbatim as their reason, if it is known.",
    ["| reason | meaning |", "|---|---|", ...rows].join("\n"),
  ]);
}

/** The page of the operator's own rights. */
function permissionsPage(): string {
  const rows = [...GRANTS, CONFIG_MAP_OUTPUTS, SECRET_OUTPUTS].map(({ group, resources, verbs, names, where, why }) => {
    const what = resources.map((resource) => `\`${qualified(group, resource)}\``).join(", ");
    const only = names === undefined ? "" : ` named \`${names.join("`, `")}\``;
    return `| ${what}${only} | ${verbs.join(", ")} | ${where} | ${cell(why)} |`;
  });
  return lines([
    "# Permissions",
    "What the operator's ServiceAccount may do, and why. The chart and `deploy/install.yaml` grant it; `deploy/rbac/` is " +
      "the same for an operator that runs outside of the cluster.",
    ["| resource | verbs | where | because it |", "|---|---|---|---|", ...rows].join("\n"),
    `The ClusterRole \`${CONFIG_MAP_OUTPUTS.role}\` is bound in the whole cluster only together with the ValidatingAdmissionPolicy ` +
      `\`${OPERATOR}-configmaps\`. Under this policy the operator updates only ConfigMaps that a custom resource owns, before and after the update, ` +
      "and creates only such, and none in `kube-*`; beside them it writes those of its orphan ledger. Without the policy " +
      "(`admissionPolicy.enabled: false`), and with `watchNamespaces`, the role is bound only in the namespaces of " +
      "`rbac.configMapOutputs`: elsewhere a PlatformCatalog has the reason `PermissionDenied`.",
    `The ClusterRole \`${SECRET_OUTPUTS.role}\` is not bound by default, since a subject that may create and patch Secrets can write any ` +
      "Secret of a namespace. Bind it where a PlatformCluster has `spec.writeTokenSecretToRef`, or a PlatformDatabase " +
      "`spec.writeConnectionSecretToRef`, and nowhere else; whoever may create them there can get a token of any " +
      "cluster, and the credentials of any database, that their connection reaches:",
    `\`\`\`sh\nkubectl create rolebinding allow-secret-outputs --namespace <namespace> \\\n  --clusterrole ${SECRET_OUTPUTS.role} --serviceaccount ${OPERATOR}:${OPERATOR}\n\`\`\``,
    "Users get `platform-operator-view` and `platform-operator-edit` through the roles `view`, `edit` and `admin` of " +
      "Kubernetes, and `platform-operator-approve`, the verb `approve` for plans, through `admin` alone. A user who may edit a PlatformConnection or read its Secret can use the full rights of its token.",
    "## On its machine",
    "Start the operator with these flags of Node, as the demo does. Each `--allow-fs-read=…` names the program, or a file or folder of the program or its credentials; writes to files are never allowed. The flags are only for `run`: a kubeconfig with a credential plugin needs a child process.",
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

/** The page that links all pages of the reference. */
function indexPage(): string {
  const rows = RESOURCES.map(
    ({ kind, shortNames, description }) =>
      `| [${kind}](${kind}.md) | \`${shortNames.join("`, `")}\` | ${cell(description)} |`,
  );
  return lines([
    "# Reference",
    ["| kind | short name | is |", "|---|---|---|", ...rows].join("\n"),
    "[Status](status.md) has the members of every status; [Annotations](annotations.md) lists the annotations of users and of the operator; [Reasons](reasons.md) explains " +
      "the `reason` of every condition; [Permissions](permissions.md) lists what the " +
      "operator may do in the cluster; [Metrics](metrics.md) lists the metrics; [Commands](commands.md) is " +
      "the command line.",
  ]);
}

interface Annotation {
  readonly name: string;
  /** The effect of the annotation, as a sentence without a subject. */
  readonly does: string;
  /** The command that writes it. */
  readonly by?: string;
}

const OF_USERS: readonly Annotation[] = [
  {
    name: names.PAUSED,
    does: "Stops all reads and writes for the object; deletion still works.",
    by: "`kubectl platform pause`, `resume`",
  },
  ...REQUEST_ANNOTATIONS.map((name) => ({
    name,
    does: `Requests a reconcile, and one retry of a failed deployment, for each new value. \`status.lastHandledReconcileAt\` is the last handled value.${name === names.RECONCILE_REQUESTED_AT ? "" : ` Ignored on a resource with \`${names.RECONCILE_REQUESTED_AT}\`.`}`,
    ...(name === names.RECONCILE_REQUESTED_AT && { by: "`kubectl platform reconcile`" }),
  })),
  {
    name: names.REDEPLOY_REQUESTED_AT,
    does: "Deploys a PlatformApplication, a PlatformDatabase or, on a platform with its whole API, a PlatformBlueprint once more for each new value: the commit of the spec, or the running one where the spec names none; the settings of the database or the blueprint. Policies apply as to a change of the spec. `status.lastHandledRedeployAt` is the last handled value; a Warning event with the reason `RedeployRefused` says why nothing was deployed.",
    by: "the action Redeploy of Argo CD",
  },
  {
    name: names.POLL_INTERVAL,
    does: "Sets the poll interval of the settled object; overrides `spec.defaults.pollInterval` of the connection.",
  },
  {
    name: names.RUN_UNTIL,
    does: "Keeps the object running until this time, regardless of `spec.runSchedule`.",
  },
  {
    name: names.APPROVED_PLAN,
    does: "Approves the plan with this hash, if `lifecycle.applyPolicy` is Manual.",
    by: "`kubectl platform approve`",
  },
  {
    name: names.RESOLVE,
    does: "Answers one question that only a user can answer; the message of the object prints the command with the value. `recreate:<attempt>` repeats the create with this unknown result (on a connection: replaces the registration with this id), `proceed:<time>` on a connection allows the changes that the limit of mass changes has held since then, `adopt:<installation>` takes over what the installation with this kube-system uid recorded (on a connection: all of its objects). A value that answers no open question is ignored, so it may stay, e.g. in Git; the operator does not remove it.",
    by: "`kubectl platform resolve`",
  },
];

/** The annotations that only the operator writes. A backup may contain them. */
const OF_THE_OPERATOR: readonly Annotation[] = [
  { name: names.EXTERNAL_ID, does: "Copy of `status.externalId`, in case the status is lost." },
  {
    name: names.RECORD_SIGNATURE,
    does: "Signature of that copy for a resource of this kind, namespace and name, such as one restored from a backup. Without a valid one the copy is a claim that is verified.",
  },
  { name: names.INSTALLATION, does: "Installation that recorded the id." },
  { name: names.INTENT, does: "Record of a create that is not confirmed yet, so that it is never sent twice." },
  {
    name: names.ACTION_STARTED,
    does: "Marks that a PlatformDatabase was deployed on a platform that does not show its state, so that it is not deployed again if the status is lost.",
  },
];

/** Names of the API group that are not annotations. */
const OTHERS: ReadonlySet<unknown> = new Set([names.API_VERSION, names.FINALIZER]);

/** @throws Error for an annotation in src/api/names.ts that is not described here */
function annotationsPage(): string {
  const described = new Set([...OF_USERS, ...OF_THE_OPERATOR].map(({ name }) => name));
  const missing = Object.values<unknown>(names).filter(
    (name) =>
      typeof name === "string" && name.startsWith(`${names.GROUP}/`) && !OTHERS.has(name) && !described.has(name),
  );
  if (missing.length > 0) throw new Error(`scripts/reference.ts does not describe ${missing.join(", ")}`);
  const users = OF_USERS.map(({ name, does, by }) => {
    const { allowed = "any new value", otherwise } = ANNOTATIONS[name] ?? {};
    return `| \`${name}\` | ${does} | ${allowed} | ${otherwise ?? ""} | ${by ?? ""} |`;
  });
  const operator = OF_THE_OPERATOR.map(({ name, does }) => `| \`${name}\` | ${does} |`);
  return lines([
    "# Annotations",
    "The operator reports an unknown value of an annotation by one Warning event, and the chart's admission policy rejects it. The fourth column shows the effect of such a value.",
    "## Annotations for users",
    ["| annotation | what it does | value | any other value | command |", "|---|---|---|---|---|", ...users].join("\n"),
    "```yaml\n" +
      "apiVersion: platform-operator.io/v1alpha1\n" +
      "kind: PlatformProject\n" +
      "metadata:\n" +
      "  name: shop\n" +
      "  namespace: shop\n" +
      "  annotations:\n" +
      `    ${names.PAUSED}: "true"\n` +
      `    ${names.POLL_INTERVAL}: 1h\n` +
      "spec:\n" +
      "  name: Shop\n" +
      "```",
    "## Annotations of the operator",
    "Do not change them: the operator identifies its objects by them.",
    ["| annotation | what it does |", "|---|---|", ...operator].join("\n"),
  ]);
}

/** A metric as the operator serves it. */
interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Metric families by prefix. Dashboards and alerts for other programs with the same metrics can be used too. */
const FAMILIES = [
  ["platform_operator_", "Its own", "The platform, the custom resources and the watches."],
  [
    "controller_runtime_",
    "Reconciles",
    "Names, labels and buckets of controller-runtime. One pool of workers serves all kinds, so each series shows the size of the whole pool.",
  ],
  [
    "workqueue_",
    "Queue",
    "As in controller-runtime. There is one queue for all kinds: `name` and `controller` are `platform-operator`.",
  ],
  ["rest_client_", "Requests to the API server", "As in controller-runtime."],
  ["leader_election_", "Leader", "As in controller-runtime."],
  [
    "process_",
    "Process",
    "As in Prometheus's client libraries, without the metrics that are read from /proc, to which the operator has no access.",
  ],
  ["nodejs_", "Node", "As in Prometheus's client library for Node."],
] as const;

/** The library's type does not have the labels. */
const Served = z.object({
  name: z.string(),
  type: z.string(),
  labelNames: z.array(z.string()),
  help: z.string(),
});

/** @returns every metric, by name, with those of --metrics-per-object */
export function describedMetrics(): readonly Metric[] {
  const { registry } = createMetrics({
    version: "",
    kinds: RESOURCES.map(({ kind }) => kind),
    workers: 1,
    perObject: true,
    perNamespace: true,
    now: () => new Date(0),
    cache: () => createStore(() => {}),
    leading: () => true,
    budgets: () => [],
    silentMs: () => new Map(),
    notServed: () => 0,
    overlapping: () => 0,
    orphans: () => [],
    queue: () => ({ depth: () => 0, unfinishedSeconds: () => 0, longestRunningSeconds: () => 0 }),
  });
  return registry
    .getMetricsAsArray()
    .map((metric) => Served.parse(metric))
    .map(({ name, type, labelNames, help }) => ({ name, type, labels: labelNames, help }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** The page of all metrics, as Markdown. */
function metricsPage(): string {
  const metrics = describedMetrics();
  const sections = FAMILIES.flatMap(([prefix, title, about]) => [
    `## ${title}`,
    about,
    metricTable(metrics.filter(({ name }) => name.startsWith(prefix))),
  ]);
  return lines([
    "# Metrics",
    "Served on `--metrics-bind-address` under `/metrics`. [Observe](../guides/observe.md) describes how to scrape them, and the alerts and the dashboard.",
    "Only `platform_operator_connection_up` and `platform_operator_resource_info` have labels with names of objects, so the number of all other series does not grow with the objects. The first has one series for each connection, at most 1,000. The second has one series for each object, and is served only with `--metrics-per-object`. With `--metrics-per-namespace`, `platform_operator_resources_stalled` has the label `exported_namespace`: at most one series for each namespace, kind and reason of objects that are Stalled now. Only the leading replica serves the metrics of custom resources.",
    ...sections,
  ]);
}

function metricTable(metrics: readonly Metric[]): string {
  const rows = metrics.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(" ")} | ${cell(help)} |`,
  );
  return ["| name | type | labels | says |", "|---|---|---|---|", ...rows].join("\n");
}

/** @returns the page: the commands of the plugin, then those of the operator's own program */
function commandsPage(): string {
  const host = operatorHost([]);
  const plugin = createPluginProgram(host).command;
  const nested = plugin.commands.flatMap((command) => [command, ...command.commands]);
  const named = nested.map((command) => ({ command, name: nameOf(command) }));
  const rows = named.map(
    ({ command, name }) => `| [${name}](#${name.replaceAll(" ", "-")}) | ${command.description()} |`,
  );
  const check = createOperatorProgram(host).command.commands.find((command) => command.name() === "check");
  return lines([
    "# Commands",
    "`kubectl platform` reaches the cluster through kubectl: it takes all of kubectl's global flags (`kubectl options`), " +
      "and kubectl's kubeconfig, namespace, credential plugins and proxies are its own. Data goes to standard output, " +
      "everything else to standard error. A command that writes prints the context, the namespace and the object. There " +
      "are colors on a terminal only, and none with `NO_COLOR`. kubectl completes its words ([The kubectl plugin](../guides/install.md#the-kubectl-plugin)).",
    "Exit codes: 0 done, 1 failed, 2 a plan has changes, 3 timeout, 64 wrong usage, 130 Ctrl-C (0 for `logs -f`, `tree -w`).",
    ["| command | does |", "|---|---|", ...rows].join("\n"),
    "Commands that call the platform read the token in the Secret of the connection with the rights of the user: `api`, " +
      "`logs`, `export`, `plan`, `check`, `report`, `status --remote`.",
    ...named.map(({ command, name }) => `## ${name}\n\n${fenced(helpOf(command))}`),
    "## Operations of api",
    ["| operation | does | request | parameters | body |", "|---|---|---|---|---|", ...operationRows()].join("\n"),
    "## The operator's own program",
    "The image has the program `platform-operator`, which reaches the cluster from its pod, without kubectl. It has the " +
      "commands `run` and `check`.",
    fenced(runHelp()),
    fenced(check === undefined ? "" : helpOf(check)),
  ]);
}

/** Returns the words of a command, without the program. */
function nameOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

/** Returns the help of a command with its examples and exit codes, without the options that all commands have. */
function helpOf(command: CommandUnknownOpts): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => void (text += part) }).configureHelp({ showGlobalOptions: false });
  command.outputHelp();
  return text;
}

function operationRows(): readonly string[] {
  return Object.entries(API_OPERATIONS).map(([name, { about, body }]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
    const operation = name as keyof typeof API_OPERATIONS;
    const { method, path } = operationEntry(operation);
    const parameters = parametersOf(operation).map((one) => `\`${one}\``);
    return `| \`${name}\` | ${about} | \`${method} ${path}\` | ${parameters.join(" ")} | ${body === undefined ? "" : "-f"} |`;
  });
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trim()}\n\`\`\``;
}

function lines(blocks: readonly string[]): string {
  return `<!-- Generated by npm run generate. -->\n\n${blocks.join("\n\n")}\n`;
}

/** Escapes bars in the text of a cell, which would end it. */
function cell(value: string): string {
  return value.replaceAll("|", String.raw`\|`);
}
