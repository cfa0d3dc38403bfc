import { CLUSTERS, REFUSED_CLUSTERS } from "./cluster-cases.ts";
import { OPERATIONS, REFUSED_OPERATIONS } from "./operation-cases.ts";

/**
 * Specs that users may write, and some that they may not: judged by zod in unit tests, by a real API server besides.
 */

export const ID = "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11";
export const OTHER_ID = "7c1f1c7e-2d2f-4f43-8a55-5d3f0a5b7e22";

type Fields = Readonly<Record<string, unknown>>;

/** The smallest valid spec of each kind. */
export const SMALLEST: Readonly<Record<string, Fields>> = {
  ClusterPlatformConnection: {
    baseUrl: "https://platform.example.com",
    organizationId: ID,
    auth: { tokenSecretRef: { name: "token" } },
  },
  PlatformConnection: {
    baseUrl: "https://platform.example.com",
    organizationId: ID,
    auth: { tokenSecretRef: { name: "token" } },
  },
  PlatformCluster: { externalId: ID },
  PlatformProject: { name: "shop" },
  PlatformEnvironment: { projectRef: { name: "shop" }, name: "staging", clusterRef: { externalId: ID } },
  PlatformApplication: {
    environmentRef: { name: "staging" },
    name: "api",
    gitRepository: { url: "https://git.example.com/shop/api.git" },
  },
  PlatformDatabase: {
    environmentRef: { name: "staging" },
    name: "main",
    type: "POSTGRESQL",
    mode: "MANAGED",
    version: "16",
  },
  PlatformBlueprint: {
    environmentRef: { name: "staging" },
    name: "cache",
    tag: "redis/3.0.0",
    icon: "https://example.com/redis.svg",
  },
  PlatformBinding: { clusterRef: { externalId: ID }, template: { key: "base", version: "1.0.0" } },
  PlatformCatalog: {},
  PlatformVariableSet: { targets: [{ applicationRef: { name: "api" } }] },
  PlatformOperation: { type: "SendInvoices" },
};

export interface SpecCase {
  readonly title: string;
  readonly kind: string;
  /** Laid over the smallest spec; undefined takes a member away. */
  readonly change: Fields;
}

export interface RefusedCase extends SpecCase {
  /** What the API server says. */
  readonly refused: RegExp;
}

export function specOf({ kind, change }: SpecCase): Fields {
  const merged = { ...SMALLEST[kind], ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

const connection = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformConnection", change });
const application = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformApplication", change });
const database = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformDatabase", change });
const binding = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformBinding", change });
const blueprint = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformBlueprint", change });
const variable = (fields: Fields): Fields => ({ variables: [{ name: "A", ...fields }] });
const secretKeyRef = { name: "s", key: "k" };
const field = (value: Fields): Fields => ({ managedConfig: { prometheus: { retention: value } } });

const variableSet = (title: string, change: Fields): SpecCase => ({ title, kind: "PlatformVariableSet", change });

export const ACCEPTED: readonly SpecCase[] = [
  ...Object.keys(SMALLEST).map((kind) => ({ title: "the smallest", kind, change: {} })),
  connection("an address with a port", { baseUrl: "http://127.0.0.1:8443/" }),
  connection("an IPv6 address", { baseUrl: "https://[::1]:8443" }),
  connection("a path prefix", { pathPrefix: "/api/v1" }),
  connection("an empty path prefix", { pathPrefix: "" }),
  {
    title: "namespaces by label",
    kind: "ClusterPlatformConnection",
    change: { allowedNamespaces: { selector: { matchLabels: { "a.example/b": "c" } } } },
  },
  { title: "a parent by id", kind: "PlatformEnvironment", change: { projectRef: { externalId: OTHER_ID } } },
  { title: "a mode of the future", kind: "PlatformEnvironment", change: { mode: "BLUE_GREEN_2" } },
  application("equal bounds of instances", { minRunningInstances: 3, maxRunningInstances: 3 }),
  application("an empty value", variable({ value: "" })),
  application("a value from a Secret", variable({ valueFrom: { secretKeyRef } })),
  application("a short commit", { deploy: { gitCommitId: "1a2b3c4" } }),
  application("a SHA-256 commit", { deploy: { gitCommitId: "a".repeat(64), policy: "Manual" } }),
  application("an scp-like repository", { gitRepository: { url: "git@git.example.com:shop/api.git" } }),
  application("deletion policy Stop", { lifecycle: { deletionPolicy: "Stop" } }),
  database("a type of the future", { type: "NEO_GRAPH_9", mode: "SERVERLESS" }),
  database("a version with a suffix", { version: "7.0.5-alpine", storage: 10 }),
  database("deletion policy Stop and retries", { lifecycle: { deletionPolicy: "Stop", retry: { limit: 2 } } }),
  blueprint("overrides that are null", { specOverrides: null }),
  blueprint("overrides of any shape", { specOverrides: { engine_version: "1.9.8", nested: { list: [1, null] } } }),
  blueprint("versions of its engine", { engine: "OpenTofu", allowedEngineVersions: ["1.8.3"] }),
  blueprint("a variable with dots", { variables: [{ name: "a.b-c", value: "" }] }),
  ...CLUSTERS.map((one) => ({ kind: "PlatformCluster", ...one })),
  { title: "a cluster by name", kind: "PlatformEnvironment", change: { clusterRef: { name: "edge" } } },
  binding("a cluster by name", { clusterRef: { name: "edge" } }),
  binding("a text", field({ value: "15d" })),
  binding("a number", field({ value: 15 })),
  binding("a fraction", field({ value: 1.5 })),
  binding("a boolean", field({ value: false })),
  binding("a field from a ConfigMap", field({ valueFrom: { configMapKeyRef: secretKeyRef } })),
  binding("mode and provider", { cluster: { mode: "CUSTOMER_MANAGED", provider: "AWS" } }),
  ...OPERATIONS.map((change) => ({ title: String(change["type"]), kind: "PlatformOperation", change })),
  { title: "every section", kind: "PlatformCatalog", change: { include: ["Templates", "DatabaseTypes"] } },
  variableSet("targets by name and id", {
    targets: [{ applicationRef: { name: "api" } }, { applicationRef: { externalId: ID } }],
  }),
  variableSet("a scope, and another one of a variable", {
    scope: "ENVIRONMENT",
    ...variable({ value: "1", scope: "APPLICATION" }),
  }),
  variableSet("a whole Secret and a whole ConfigMap", {
    variablesFrom: [
      { secretRef: { name: "a" }, prefix: "A_" },
      { configMapRef: { name: "b" }, secret: true },
    ],
  }),
];

const SOURCE = /exactly one of secretRef and configMapRef must be set/;
const REFERENCE = /exactly one of name and externalId must be set/;
const VALUE = /exactly one of value and valueFrom must be set/;

export const REFUSED: readonly RefusedCase[] = [
  { ...variableSet("no target", { targets: [] }), refused: /targets.*at least 1/ },
  { ...variableSet("a target that is nowhere", { targets: [{ applicationRef: {} }] }), refused: /exactly one of name/ },
  { ...variableSet("a whole nothing", { variablesFrom: [{}] }), refused: SOURCE },
  {
    ...variableSet("a whole Secret and ConfigMap", {
      variablesFrom: [{ secretRef: { name: "a" }, configMapRef: { name: "b" } }],
    }),
    refused: SOURCE,
  },
  {
    ...variableSet("a prefix that begins no name", { variablesFrom: [{ secretRef: { name: "a" }, prefix: "1" }] }),
    refused: /prefix.*should match/,
  },
  {
    ...variableSet("a variable with both", variable({ value: "1", valueFrom: { secretKeyRef } })),
    refused: /exactly one of value/,
  },
  {
    ...variableSet("a scope in lower case", { scope: "application" }),
    refused: /scope.*should match/,
  },
  ...REFUSED_OPERATIONS.map(([title, change, refused]) => ({ title, kind: "PlatformOperation", change, refused })),
  { ...connection("an address with a path", { baseUrl: "https://a.example/b" }), refused: /baseUrl.*should match/ },
  { ...connection("an address with a user", { baseUrl: "https://u:p@a.example" }), refused: /baseUrl.*should match/ },
  { ...connection("another scheme", { baseUrl: "file:///etc/passwd" }), refused: /baseUrl.*should match/ },
  { ...connection("a climbing path prefix", { pathPrefix: "/../admin" }), refused: /pathPrefix.*should match/ },
  { ...connection("no organization", { organizationId: undefined }), refused: /organizationId: Required/ },
  { ...connection("an upper-case id", { organizationId: ID.toUpperCase() }), refused: /organizationId.*should match/ },
  { ...connection("an unknown surface", { surface: "Strict" }), refused: /surface: Unsupported value/ },
  {
    ...connection("no budget", { rateLimit: { requestsPerSecond: 0 } }),
    refused: /requestsPerSecond.*greater than or equal to 1/,
  },
  {
    title: "both references",
    kind: "PlatformEnvironment",
    change: { projectRef: { name: "a", externalId: ID } },
    refused: REFERENCE,
  },
  { title: "no reference", kind: "PlatformEnvironment", change: { projectRef: {} }, refused: REFERENCE },
  {
    title: "a mode in lower case",
    kind: "PlatformEnvironment",
    change: { mode: "staging" },
    refused: /mode.*should match/,
  },
  {
    title: "deletion policy Stop",
    kind: "PlatformProject",
    change: { lifecycle: { deletionPolicy: "Stop" } },
    refused: /deletionPolicy: Unsupported value/,
  },
  {
    title: "a name with a line break",
    kind: "PlatformProject",
    change: { name: "a\nb" },
    refused: /name.*should match/,
  },
  { title: "an empty name", kind: "PlatformProject", change: { name: "" }, refused: /name.*should match/ },
  ...REFUSED_CLUSTERS.map((one) => ({ kind: "PlatformCluster", ...one })),
  {
    title: "two clusters",
    kind: "PlatformEnvironment",
    change: { clusterRef: { name: "edge", externalId: ID } },
    refused: REFERENCE,
  },
  { ...application("both references", { environmentRef: { name: "a", externalId: ID } }), refused: REFERENCE },
  {
    ...application("crossed bounds of instances", { minRunningInstances: 3, maxRunningInstances: 2 }),
    refused: /minRunningInstances must not exceed spec.maxRunningInstances/,
  },
  { ...application("a value twice", variable({ value: "a", valueFrom: { secretKeyRef } })), refused: VALUE },
  { ...application("a variable without value", variable({})), refused: VALUE },
  {
    ...application("a value of two sources", variable({ valueFrom: { secretKeyRef, configMapKeyRef: secretKeyRef } })),
    refused: /exactly one of secretKeyRef and configMapKeyRef must be set/,
  },
  {
    ...application("a variable with a blank", { variables: [{ name: "A B", value: "" }] }),
    refused: /name.*should match/,
  },
  { ...application("a commit too short", { deploy: { gitCommitId: "1a2b3c" } }), refused: /gitCommitId.*should match/ },
  {
    ...application("a branch as commit", { deploy: { gitCommitId: "main-branch" } }),
    refused: /gitCommitId.*should match/,
  },
  { ...application("no commit", { deploy: { policy: "Manual" } }), refused: /gitCommitId: Required/ },
  { ...application("port 0", { ports: [{ internalPort: 0 }] }), refused: /internalPort.*greater than or equal to 1/ },
  { ...database("no version", { version: undefined }), refused: /version: Required/ },
  { ...database("a version that is a number", { version: 16 }), refused: /version.*must be of type string/ },
  { ...database("a type in lower case", { type: "postgresql" }), refused: /type.*should match/ },
  { ...database("no mode", { mode: undefined }), refused: /mode: Required/ },
  { ...database("a fraction of storage", { storage: 1.5 }), refused: /storage.*must be of type integer/ },
  { ...database("another run state", { runState: "Paused" }), refused: /runState: Unsupported value/ },
  { ...blueprint("no icon", { icon: undefined }), refused: /icon: Required/ },
  { ...blueprint("an icon that is a path", { icon: "/redis.svg" }), refused: /icon.*should match/ },
  { ...blueprint("overrides that are a list", { specOverrides: ["cpu"] }), refused: /specOverrides.*must be of type/ },
  {
    ...blueprint("versions of Helm", { engine: "Helm", allowedEngineVersions: ["3"] }),
    refused: /allowedEngineVersions needs spec.engine/,
  },
  {
    ...blueprint("versions of no engine", { allowedEngineVersions: ["3"] }),
    refused: /allowedEngineVersions needs spec.engine/,
  },
  { ...blueprint("a variable without value", variable({})), refused: VALUE },
  {
    ...blueprint("deletion policy Delete", { lifecycle: { deletionPolicy: "Delete" } }),
    refused: /deletionPolicy: Unsupported value/,
  },
  { ...binding("half a cluster", { cluster: { mode: "CUSTOMER_MANAGED" } }), refused: /cluster.provider: Required/ },
  { ...binding("a field without value", field({})), refused: /at least 1 properties/ },
  {
    ...binding("a field twice", field({ value: 1, valueFrom: { secretKeyRef } })),
    refused: /must have at most 1 item/,
  },
  {
    ...binding("an input twice", { customerProvidedInputs: { a: { b: { value: "", valueFrom: { secretKeyRef } } } } }),
    refused: VALUE,
  },
  {
    title: "half a cluster",
    kind: "PlatformCatalog",
    change: { cluster: { provider: "AWS" } },
    refused: /cluster.mode: Required/,
  },
  {
    title: "an unknown section",
    kind: "PlatformCatalog",
    change: { include: ["Regions"] },
    refused: /Unsupported value: "Regions"/,
  },
  {
    title: "an interval of seconds",
    kind: "PlatformCatalog",
    change: { interval: "10s" },
    refused: /interval.*should match/,
  },
];

/** Duplicates in lists that the API server keys: our side never sees them. */
export const REFUSED_BY_LIST_TYPE: readonly RefusedCase[] = [
  {
    ...application("a variable twice", {
      variables: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    }),
    refused: /variables\[1\]: Duplicate value/,
  },
  {
    ...application("a port twice", { ports: [{ internalPort: 80 }, { internalPort: 80 }] }),
    refused: /ports\[1\]: Duplicate value/,
  },
  {
    title: "a section twice",
    kind: "PlatformCatalog",
    change: { include: ["Templates", "Templates"] },
    refused: /include\[1\]: Duplicate value/,
  },
];
