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

const STAYS = "the resource goes, the object stays on the platform; an event and the list of orphans name it";

const TOLD: readonly Feature[] = [
  everywhere("PlatformProject", "create; adopt by name; find what is missing; report drift of name and description"),
  only("PlatformProject", "change name or description", ["updateProject"], "nothing is sent", "UpdateNotSupported"),
  only("PlatformProject", "delete", ["deleteProject"], STAYS, "DeleteNotSupported"),

  everywhere("PlatformEnvironment", "create; adopt by id; find what is missing"),
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

  everywhere("PlatformApplication", "create; deploy a commit and follow it; variables; state and ingress"),
  only(
    "PlatformApplication",
    "adopt by name; find a create whose answer was lost; report drift",
    ["listApplications"],
    "adopt by `spec.externalId`; a lost create waits for a person",
    "CreateResultUnknown",
  ),
  only(
    "PlatformApplication",
    "change settings after the creation",
    ["updateApplication", "listApplications"],
    "nothing is sent; `getApplication` does as well as the list",
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
    "show the state; notice what others do; adopt by name; find a create whose answer was lost",
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
    "what the last answer told, and conditions are Unknown; `listClusters` shows the state as well",
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
    without: { seen: "the resource goes, the cluster keeps its template" },
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
    "it is Complete once the platform took it; `listClusters` shows the end as well",
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

const isTold = ({ resource: { kind } }: AnyKind): boolean =>
  kind.endsWith("Connection") || TOLD.some((row) => row.kind === kind);

/** The features above, and the declared ones of kinds that are not among them. */
export const FEATURES: readonly Feature[] = [
  ...TOLD,
  ...Object.values(createKinds()).flatMap((kind) => (isTold(kind) ? [] : declared(kind))),
];

/** @returns the page. */
export function platformsPage(): string {
  return `<!-- Generated by npm run generate. -->

# What works on which platform

The specification of the platform documents 32 operations: it creates projects, environments, applications, databases and blueprints, deploys, and stops databases and clusters. It has no update and no deletion, and shows little of what exists. The operator works with that alone (**Documented**) and uses ${String(beyond().length)} more operations where a platform has them (**Full**). Between the two, each operation counts for itself: where a platform lacks one of the column "needs", the column "without them" says what one sees.

\`kubectl get pconn\` shows what a connection found, in the column SURFACE; \`spec.surface: Documented\` or \`Full\` on a connection overrides it. How every example ends on five platforms is in [examples on platforms](platforms-examples.md). Which operation each kind uses, with the tests that show it, is in [coverage](../coverage.md); what each reason means, in [reasons](../reference/reasons.md).

${table()}

## What follows from it

- **Nothing is deleted where there is no deletion.** The resource goes, the object stays and runs on, and the operator [records that](previews.md#what-stays-on-a-platform-that-deletes-nothing) to find it again.
- **Settings of the creation are final where there is no update.** Change the spec back, or change the object on the platform and adopt it with a new resource.
- **What a list lacks is not at once gone.** An object of a resource counts as gone when its own read says so, or when a list that showed it lacks it for a minute. A list that may be one page of several proves nothing.
- **A create whose answer was lost is not repeated.** Where no list shows whether it landed, the resource says \`CreateResultUnknown\`, and a person decides with \`kubectl platform resolve\`.
- **A stop, or a deployment of a database, whose answer was lost is sent once more.** It changes nothing if the first one was carried out. This is done only where the platform does not show the outcome, and only while the spec stays as it was. If the second answer is lost too, the resource says \`NotObservable\`, and a PlatformOperation \`OperationResultUnknown\`.
- **An import of a secret that exists is up to the platform.** The specification does not show whether its value is replaced. The operator compares what the platform lists with what it sent, and says \`VariablesPending\` where the old value may have stayed.

Try both: \`make demo\` plays a platform that offers its specification alone, \`node_modules/.bin/node test/demo/main.ts --surface full\` one that offers everything.
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
