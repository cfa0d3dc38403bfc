/**
 * `docs/coverage.md`: the kinds and commands that use each operation of the platform, and the tests for it. Commands
 * declare their operations in the table of commands; those of the kinds, and the tests, are declared here.
 */
import { COMMANDS } from "../src/cli/commands.ts";
import { type KindName, RESOURCES } from "../src/kinds/index.ts";
import { operations, type OperationName, isDocumented } from "../src/platform/codec/operations.ts";
import { FEATURES } from "./platforms.ts";

const OF_CONNECTIONS = [
  "listProjects",
  "getProject",
  "createWebhook",
  "getWebhook",
  "updateWebhook",
] as const satisfies readonly OperationName[];

/** Operations that a kind calls besides those of its features (scripts/platforms.ts). */
const BESIDE: Readonly<Partial<Record<KindName, readonly OperationName[]>>> = {
  ClusterPlatformConnection: OF_CONNECTIONS,
  PlatformConnection: OF_CONNECTIONS,
  PlatformCluster: ["stopCluster", "upgradeCluster", "getClusterToken", "listClusters", "getGcpCredentials"],
  PlatformProject: ["listProjects", "createProject", "getProject", "getProjectEnvironmentStats"],
  PlatformEnvironment: ["listProjects", "getProjectEnvironmentStats", "createEnvironment", "getEnvironment"],
  PlatformApplication: [
    "listProjects",
    "getProjectEnvironmentStats",
    "listServiceStatuses",
    "createApplication",
    "getApplicationStatus",
    "deployApplication",
    "getIngressStatus",
    "getApplication",
    "importVariables",
    "listVariables",
    "listSecrets",
    "getDeploymentStatus",
    "getApplicationLog",
  ],
  PlatformDatabase: [
    "listProjects",
    "getProjectEnvironmentStats",
    "getIngressStatus",
    "createDatabase",
    "deployDatabase",
    "stopDatabase",
    "getDatabase",
    "getDeploymentStatus",
    "listManagedDatabaseTypes",
  ],
  PlatformBlueprint: [
    "listProjects",
    "getProjectEnvironmentStats",
    "getIngressStatus",
    "createBlueprint",
    "getDeploymentStatus",
  ],
  PlatformVariableSet: [
    "listProjects",
    "getProjectEnvironmentStats",
    "importVariables",
    "listVariables",
    "listSecrets",
  ],
  PlatformBinding: ["listTemplates", "putBinding", "listClusters"],
  PlatformCatalog: ["listTemplates", "listCloudProviders", "listManagedDatabaseTypes", "listGitRepositories"],
  PlatformOperation: [
    "listProjects",
    "getProjectEnvironmentStats",
    "listServiceStatuses",
    "getHelmDefaultValues",
    "getApplicationStatus",
    "deployApplication",
    "deployDatabase",
    "stopDatabase",
    "getDeploymentStatus",
    "stopCluster",
    "upgradeCluster",
    "listClusters",
    "sendInvoices",
  ],
  PlatformWebhook: ["createWebhook"],
};

const beside: ReadonlyMap<string, readonly OperationName[]> = new Map(Object.entries(BESIDE));

/** The operations that each kind calls. test/integration/every-operation.test.ts compares them with its calls. */
export const USED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  RESOURCES.map(({ kind }) => [kind, new Set([...needsOf(kind), ...(beside.get(kind) ?? [])])]),
);

function needsOf(kind: string): readonly OperationName[] {
  return FEATURES.flatMap((row) => (row.kind === kind && row.needs !== "Nothing" ? row.needs : []));
}

/** The test that calls every operation of the client against the simulator on both surfaces. */
const EVERY_OPERATION = "unit/platform-operations";

/** The tests in which the operator or the plugin calls an operation; without a folder, those of test/integration. */
export const SHOWN_BY: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  listTemplates: ["rejected", "cli-access", "cli-golden"],
  putBinding: ["every-operation"],
  getBinding: ["cli-objects-export"],
  listProjects: ["every-operation", "cli-access", "cli-golden"],
  createProject: ["cli-objects-say", "credentials", "identity"],
  getProject: ["kinds/named", "model/faults/platforms", "cli-objects-check"],
  updateProject: ["model/faults/platforms", "model/change-causes", "model/kinds-contract"],
  deleteProject: ["deletion", "model/kinds-contract"],
  getProjectEnvironmentStats: ["kinds/named", "cli-access"],
  createEnvironment: ["policies", "kinds/application", "kinds/named"],
  listEnvironments: ["kinds/named", "cli-objects-export"],
  getEnvironment: ["cli-objects-check"],
  updateEnvironment: ["kinds/named", "model/kinds-contract"],
  deleteEnvironment: ["deletion", "model/kinds-contract"],
  listServices: ["cli-objects-export"],
  listServiceStatuses: ["kinds/blueprint", "model/faults/platforms", "cli-objects-export"],
  getHelmDefaultValues: ["kinds/operation", "cli-access", "cli-golden"],
  createApplication: ["cli-objects-say", "deploy", "kinds/application"],
  getApplicationStatus: ["deploy", "model/faults/platforms", "cli-golden"],
  deployApplication: ["quickstart", "cli-actions", "crds"],
  getApplicationLog: ["cli-actions", "cli-golden", "cli-objects"],
  getIngressStatus: ["deploy", "cli-golden"],
  listApplications: ["kinds/application", "cli-objects-export"],
  getApplication: ["kinds/variable-set-targets", "model/faults/platforms", "cli-objects-check"],
  updateApplication: ["kinds/application", "model/faults/platforms"],
  deleteApplication: ["deletion", "kinds/application"],
  stopApplication: ["deletion", "kinds/application"],
  importVariables: ["cli-actions", "deploy"],
  listVariables: ["every-operation", "cli-golden", "cli-objects-export"],
  createVariable: ["cli-actions"],
  deleteVariable: ["kinds/variable-set-owned"],
  listSecrets: ["cli-golden", "deploy", "cli-actions"],
  createSecret: ["cli-actions"],
  updateSecret: ["kinds/application", "kinds/variable-set-owned", "cli-actions"],
  deleteSecret: ["kinds/variable-set-owned"],
  createDatabase: ["ledger", "kinds/database"],
  deployDatabase: ["ledger", "kinds/database", "cli-actions"],
  stopDatabase: ["ledger", "kinds/database", "cli-actions"],
  listDatabases: ["cli-objects-export"],
  getDatabase: ["cli-objects-check"],
  getDatabaseCredentials: ["clusters"],
  updateDatabase: ["kinds/database"],
  deleteDatabase: ["kinds/database"],
  createBlueprint: ["every-operation", "kinds/blueprint"],
  getDeploymentStatus: ["cli-actions", "deploy", "kinds/database"],
  stopCluster: ["clusters", "kinds/cluster", "cli-actions"],
  upgradeCluster: ["clusters", "kinds/cluster", "cli-actions"],
  getClusterToken: ["cli-plugin", "clusters"],
  getClusterMetrics: ["cli-actions"],
  listClusters: ["cli-objects-export"],
  getClusterStatus: ["kinds/cluster", "cli-objects-check", "cli-objects-export"],
  deployCluster: ["kinds/cluster"],
  listCloudProviders: ["every-operation", "cli-access", "cli-golden"],
  listManagedDatabaseTypes: ["kinds/database", "cli-golden"],
  getGcpCredentials: ["every-operation", "cli-golden"],
  sendInvoices: ["kinds/operation", "operations", "cli-actions"],
  listGitRepositories: ["every-operation", "cli-golden"],
  createWebhook: ["every-operation", "webhooks"],
  getWebhook: ["cli-objects-check"],
  updateWebhook: ["model/kinds-contract"],
  deleteWebhook: ["model/kinds-contract"],
};

/** @returns the path of a test of `SHOWN_BY`, from the root of the repository */
export function testPath(test: string): string {
  return `test/${test.includes("/") ? test : `integration/${test}`}.test.ts`;
}

/** The operations that are only in the spec's usage guide, which spells placeholders differently. */
const USAGE_GUIDE: ReadonlySet<OperationName> = new Set([
  ...(["listProjects", "createProject", "createEnvironment", "createApplication", "getApplicationStatus"] as const),
  ...(["createVariable", "listVariables", "createSecret", "getApplicationLog", "createDatabase"] as const),
  ...(["deployDatabase", "createWebhook"] as const),
]);

const SPELLED: readonly (readonly [ours: string, theirs: string])[] = [
  ["{organizationId}", "{org_id}"],
  ["{projectId}", "{project_id}"],
  ["{environmentId}", "{env_id}"],
  ["{applicationId}", "{app_id}"],
  ["{databaseId}", "{db_id}"],
];

/** Method and path as the spec spells them. */
function spelled(name: OperationName): string {
  const { method, path } = operations[name];
  if (!USAGE_GUIDE.has(name)) return `${method} ${path}`;
  const theirs = SPELLED.reduce((text: string, [ours, guide]) => text.replace(ours, guide), path);
  return `${method} ${theirs}`;
}

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

interface Row {
  readonly name: OperationName;
  readonly kinds: readonly string[];
  readonly commands: readonly string[];
}

/** @returns the page. @throws Error for a documented operation that no kind and no command uses */
export function coveragePage(): string {
  const rows = Object.keys(operations)
    .filter(isOperation)
    .map((name): Row => {
      const users = [...USED_BY].filter(([, used]) => used.has(name));
      const commands = COMMANDS.filter((entry) => entry.operations?.includes(name));
      return { name, kinds: users.map(([kind]) => kind), commands: commands.map((entry) => entry.name) };
    });
  const documented = rows.filter(({ name }) => isDocumented(name));
  const unused = documented.filter((row) => row.kinds.length + row.commands.length === 0).map(({ name }) => name);
  if (unused.length > 0) throw new Error(`No kind and no command uses ${unused.join(", ")}.`);
  return `<!-- Generated by npm run generate. -->

# Coverage

Which operation of the platform is used by which kind or command, and which test shows it. The surface is the smallest that has the operation; [what works on which platform](guides/platforms.md) says what its absence means. [platform-operations.test.ts](../${testPath(EVERY_OPERATION)}) calls every one of them against the simulated platform; the other tests named here drive the operator or the plugin.

## The specification: ${String(documented.length)} operations

${table(documented)}

## Beyond the specification

What the operator uses where the platform offers the full surface.

${table(rows.filter(({ name, ...row }) => !isDocumented(name) && row.kinds.length + row.commands.length > 0))}
`;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, kinds, commands }) => {
    const users = kinds.map((kind) => `[${kind}](reference/${kind}.md)`);
    const words = commands.map((command) => `\`${command}\``);
    const tests = (SHOWN_BY[name] ?? [EVERY_OPERATION]).map((test) => `[${test}.test.ts](../${testPath(test)})`);
    return `| \`${spelled(name)}\` | ${isDocumented(name) ? "Documented" : "Full"} | ${users.join(", ")} | ${words.join(", ")} | ${tests.join(", ")} |`;
  });
  return ["| operation | surface | kinds | commands | tests |", "|---|---|---|---|---|", ...lines].join("\n");
}
