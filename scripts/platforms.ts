/** `docs/guides/platforms.md`: which features work on which platform, by the operations that they need. */
import type { Reason } from "../src/api/reasons.ts";
import { createKinds, type KindName } from "../src/kinds/index.ts";
import { isDocumented, operations, type OperationName } from "../src/platform/codec/operations.ts";

/** A feature of one kind for users. */
export interface Feature {
  readonly kind: string;
  readonly feature: string;
  /** The operations beyond the specification that it needs; "Nothing" if no platform can do it. */
  readonly needs: readonly OperationName[] | "Nothing";
  /** What a user sees if the platform lacks them. */
  readonly without?: { readonly reason?: Reason; readonly seen: string };
}

/** Declares a feature that needs only operations of the specification. */
const everywhere = (kind: string, feature: string): Feature => ({ kind, feature, needs: [] });

function only(kind: string, feature: string, needs: readonly OperationName[], seen: string, reason?: Reason): Feature {
  return { kind, feature, needs, without: reason === undefined ? { seen } : { reason, seen } };
}

const STAYS = "the resource is deleted, the object stays on the platform; an event and the list of orphans name it";

const DESCRIBED: readonly Feature[] = [
  everywhere("PlatformProject", "create; adopt by name; detect missing objects; report drift of name and description"),
  only("PlatformProject", "change name or description", ["updateProject"], "nothing is sent", "UpdateNotSupported"),
  only("PlatformProject", "delete", ["deleteProject"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformEnvironment", "create; adopt by id; detect missing objects"),
  only(
    "PlatformEnvironment",
    "adopt by name; report drift",
    ["listEnvironments"],
    "the spec is compared with what was sent last",
  ),
  only(
    "PlatformEnvironment",
    "change name or mode",
    ["updateEnvironment", "listEnvironments"],
    "nothing is sent",
    "UpdateNotSupported",
  ),
  only("PlatformEnvironment", "delete", ["deleteEnvironment"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformApplication", "create; deploy a commit and follow its progress; variables; state and ingress"),
  only(
    "PlatformApplication",
    "adopt by name; trace a create without a response; report drift",
    ["listApplications"],
    "adopt by `spec.externalId`; a create without a response needs a user's decision",
    "CreateResultUnknown",
  ),
  only(
    "PlatformApplication",
    "change settings after the creation",
    ["updateApplication", "listApplications"],
    "nothing is sent; `getApplication` works as well",
    "UpdateNotSupported",
  ),
  only("PlatformApplication", "stop", ["stopApplication"], "it keeps running", "NotSupportedByApi"),
  only(
    "PlatformApplication",
    "replace the value of a secret",
    ["updateSecret"],
    "the secret is imported; a platform that keeps the old value leaves it pending",
    "VariablesPending",
  ),
  only("PlatformApplication", "delete", ["deleteApplication"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformDatabase", "create; deploy; stop; follow both by their deployment request"),
  only(
    "PlatformDatabase",
    "show the state; detect changes by others; adopt by name; trace a create without a response",
    ["listDatabases", "listServiceStatuses"],
    "the state is that of the last request; without a request id it is unknown",
    "NotObservable",
  ),
  only(
    "PlatformDatabase",
    "change settings after the creation",
    ["updateDatabase", "listDatabases"],
    "nothing is sent",
    "UpdateNotSupported",
  ),
  only(
    "PlatformDatabase",
    "write host, port and credentials into a Secret",
    ["getDatabaseCredentials", "listDatabases"],
    "the Secret has ids and names",
  ),
  only("PlatformDatabase", "delete", ["deleteDatabase", "listDatabases"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformBlueprint", "create; deploy with the creation"),
  only(
    "PlatformBlueprint",
    "show the service and its state",
    ["listServices", "listServiceStatuses"],
    "`Deployed` is Unknown",
    "NotObservable",
  ),
  {
    kind: "PlatformBlueprint",
    feature: "stop or delete",
    needs: "Nothing",
    without: { reason: "DeleteNotSupported", seen: STAYS },
  },

  everywhere("PlatformVariableSet", "import variables and secrets; read them back"),
  only(
    "PlatformVariableSet",
    "prove that an application of an id belongs to the organization",
    ["getApplication"],
    "an application of the same namespace needs no proof; another needs `allowUnverifiedIds`",
    "NotObservable",
  ),
  only(
    "PlatformVariableSet",
    "replace the value of a secret",
    ["updateSecret"],
    "the secret is imported; a platform that keeps the old value leaves it pending",
    "VariablesPending",
  ),
  only(
    "PlatformVariableSet",
    "remove variables and secrets",
    ["deleteVariable", "deleteSecret"],
    "they stay",
    "DeleteNotSupported",
  ),

  everywhere("PlatformCluster", "stop; upgrade; kubeconfig Secret"),
  only(
    "PlatformCluster",
    "show state, version and lock; see how a stop or an upgrade ends",
    ["getClusterStatus"],
    "the status shows the last response, and conditions are Unknown; `listClusters` shows the state as well",
    "NotObservable",
  ),
  only("PlatformCluster", "start", ["deployCluster"], "it stays stopped", "NotSupportedByApi"),

  everywhere("PlatformBinding", "check against the template; bind; layers of the answer"),
  only(
    "PlatformBinding",
    "follow layers after the answer; report drift",
    ["getBinding"],
    "the layers are those of the answer to the last PUT",
    "NotObservable",
  ),
  {
    kind: "PlatformBinding",
    feature: "unbind",
    needs: "Nothing",
    without: { seen: "the resource is deleted, the cluster keeps its template" },
  },

  everywhere("PlatformWebhook", "register; the receiver of a connection too"),
  only("PlatformWebhook", "show it; report drift", ["getWebhook"], "the spec is compared with what was sent last"),
  only("PlatformWebhook", "change", ["updateWebhook", "getWebhook"], "nothing is sent", "UpdateNotSupported"),
  only("PlatformWebhook", "delete", ["deleteWebhook", "getWebhook"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformCatalog", "templates, cloud providers, database types, git repositories"),

  everywhere(
    "PlatformOperation",
    "every action; of those that nothing shows, a stop and the deployment of a database are sent once more where the answer was lost",
  ),
  only(
    "PlatformOperation",
    "see how an action on a cluster ends",
    ["getClusterStatus"],
    "it is Complete once the platform has accepted it; `listClusters` shows the end as well",
    "Accepted",
  ),
  only(
    "PlatformOperation",
    "prove that a database or application of an id belongs to the organization",
    ["getDatabase", "getApplication"],
    "under a PlatformConnection of the namespace it is acted on unless `allowUnverifiedIds` is false",
    "NotObservable",
  ),
];

/** Returns the features that follow from the operations that a kind declares. */
function declared(of: AnyKind): readonly Feature[] {
  const { kind } = of.resource;
  const { create = [], update = [], delete: removal = [] } = of.operations?.({}) ?? {};
  const beyondAll = (needs: readonly unknown[]) =>
    needs
      .flat()
      .filter(isOperation)
      .filter((name) => !isDocumented(name));
  return [
    only(
      kind,
      "create; adopt by name; report drift",
      beyondAll([create, of.remote?.operation]),
      NOTHING_SENT,
      "NotSupportedByApi",
    ),
    only(kind, "change", beyondAll(update), NOTHING_SENT, "UpdateNotSupported"),
    only(kind, "delete", beyondAll(removal), "nothing is there to delete", "DeleteNotSupported"),
  ];
}

const NOTHING_SENT = "nothing is sent";

const isOperation = (name: unknown): name is OperationName =>
  typeof name === "string" && Object.hasOwn(operations, name);

type AnyKind = ReturnType<typeof createKinds>[KindName];

const isDescribed = ({ resource: { kind } }: AnyKind): boolean =>
  kind.endsWith("Connection") || DESCRIBED.some((row) => row.kind === kind);

/** The features above, and the declared ones of kinds that are not among them. */
export const FEATURES: readonly Feature[] = [
  ...DESCRIBED,
  ...Object.values(createKinds()).flatMap((kind) => (isDescribed(kind) ? [] : declared(kind))),
];

/** @returns the page. */
export function platformsPage(): string {
  return `<!-- Generated by npm run generate. -->

# What works on which platform

The specification of the platform documents 32 operations: it creates projects, environments, applications, databases and blueprints, deploys, and stops databases and clusters. It has no updates and no deletions, and few reads. The operator works with these operations alone (**Documented**), and uses ${String(beyond().length)} more operations if a platform offers them (**Full**). A platform may offer only some of them: if it lacks an operation in the column "needs", the column "without them" describes the effect.

\`kubectl get pconn\` shows the learned surface of a connection in the column SURFACE; \`spec.surface: Documented\` or \`Full\` on a connection overrides it. [Coverage](../coverage.md) lists the operations that each kind uses, with their tests, and [reasons](../reference/reasons.md) explains each reason.

${table()}

## Consequences

- **Without a deletion, objects stay.** The resource is deleted, the object keeps running on the platform, and the operator [records it](previews.md#orphans-on-a-platform-without-deletion) to adopt it later.
- **Without an update, settings are final.** Revert the spec, or change the object on the platform and adopt it with a new resource.
- **An object that a list lacks is not gone at once.** It counts as gone if its own read returns 404, or if a list that contained it lacks it for a minute. A list that may be one page of several proves nothing.
- **A create without a response is not repeated.** If no list shows its result, the resource has the reason \`CreateResultUnknown\`, and a user decides with \`kubectl platform resolve\`.
- **A stop, or a deployment of a database, without a response is sent once more.** The repetition has no effect if the first request was executed. The operator repeats it only if the platform does not show the result, and only while the spec is unchanged. If the second response is lost as well, the resource has the reason \`NotObservable\`, and a PlatformOperation \`OperationResultUnknown\`.
- **The platform decides about the import of an existing secret.** The specification does not say whether it replaces the value. The operator compares the platform's list with what it sent, and reports \`VariablesPending\` if the old value may have been kept.

To try both, run \`make demo\`, which simulates a platform that offers only the specification, or \`node_modules/.bin/node test/demo/main.ts --surface full\`, which simulates one that offers everything.
`;
}

function beyond(): readonly string[] {
  return Object.keys(operations).filter((name) => !isDocumented(name));
}

function table(): string {
  const rows = FEATURES.map(({ kind, feature, needs, without }) => {
    const documented = needs.length === 0 ? "yes" : "no";
    const lacks = without === undefined ? "" : [code(without.reason), without.seen].filter(Boolean).join(": ");
    const operationsNeeded = needs === "Nothing" ? "no platform has it" : needs.map(code).join(", ");
    const cells = [link(kind), feature, documented, needs === "Nothing" ? "no" : "yes", operationsNeeded, lacks];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| kind | feature | Documented | Full | needs | without them |", "|---|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

const code = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``);
const link = (kind: string): string => `[${kind}](../reference/${kind}.md)`;
