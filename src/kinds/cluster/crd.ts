import { z } from "zod";

import { connectionRef, flag, objectName, outputMetadata, uuid, matches } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, defineResource, wide } from "../../api/resource.ts";
import {
  nextRunChange,
  runSchedule,
  RUNS_BY_SCHEDULE,
  runsBySchedule,
  runUntil,
  SCHEDULE_COLUMNS,
} from "../../api/run-schedule.ts";
import { count, id, managedStatus, text, time } from "../../api/status.ts";

const BOTH_OR_NONE = "server and caBundle must be set together";

/** Reports whether a value is the base64 of PEM, as `certificate-authority-data` of a kubeconfig is. */
function isCaBundle(value: string): boolean {
  return Buffer.from(value, "base64").toString().includes("-----BEGIN CERTIFICATE-----");
}

const writeTokenSecretToRef = z
  .object({
    name: objectName.describe(
      "Name of the Secret in the same namespace. The operator creates it and keeps it up to date; a Secret of others is not overwritten.",
    ),
    metadata: outputMetadata("Secret"),
    readOnly: flag(true, "Whether the token is read-only. If false, it has full access to the cluster."),
    server: matches(
      /^https:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)(:[0-9]{1,5})?(\/[^\s?#]*)?$/,
      2048,
      "must be an https URL",
    )
      .optional()
      .describe("URL of the cluster's API server, for a kubeconfig. Together with caBundle."),
    caBundle: matches(/^[A-Za-z0-9+/]+={0,2}$/, 131_072, "must be base64 without line breaks")
      .min(1)
      .refine(isCaBundle, "must be the base64 of PEM certificates")
      .optional()
      .describe(
        "Certificates that the API server is verified by: PEM in base64, as certificate-authority-data of a kubeconfig. " +
          "Together with server.",
      ),
  })
  .refine((ref) => (ref.server === undefined) === (ref.caBundle === undefined), BOTH_OR_NONE)
  .meta({
    description:
      "Writes a short-lived token of the cluster into a Secret owned by this object, with the keys token and expirationTimestamp, and kubeconfig if server and caBundle are set. It is renewed before it expires. The " +
      "operator needs the right to write Secrets in this namespace: the ClusterRole platform-operator-secret-outputs.",
    "x-kubernetes-validations": [{ rule: "has(self.server) == has(self.caBundle)", message: BOTH_OR_NONE }],
  });

const spec = z
  .object({
    connectionRef: connectionRef.optional(),
    externalId: uuid.describe(
      "Id of the cluster on the platform. Clusters are adopted, never created or deleted. Cannot be changed.",
    ),
    runState: z
      .enum(["Running", "Stopped"])
      .optional()
      .describe(
        "Whether the cluster runs. Running needs a platform that can start clusters. When absent, it is not changed, except by spec.runSchedule.",
      ),
    runSchedule,
    kubernetesVersion: matches(/^[1-9][0-9]{0,3}\.(0|[1-9][0-9]{0,3})$/, 16, "must be major.minor, e.g. 1.34")
      .optional()
      .describe(
        "Version of Kubernetes to upgrade to, as major.minor. The upgrade is requested once the platform offers " +
          "exactly this version next. Where the platform shows no versions, the first one that is set counts as the one that runs, and each " +
          "newer one sends one upgrade, to the version that the platform chooses. Not changed when absent.",
      ),
    writeTokenSecretToRef: writeTokenSecretToRef.optional(),
    credentialsId: uuid
      .optional()
      .describe("Id of cloud credentials of the organization, shown in status.credentials."),
    lifecycle: lifecycleOf(
      ["managementPolicy", "driftPolicy", "applyPolicy", "progressDeadline"],
      ["Retain", "Stop"],
      "Manual",
    ),
  })
  .refine(runsBySchedule, RUNS_BY_SCHEDULE.message);

const lock = z
  .object({
    reason: text.optional().describe("Why it is locked."),
    ownerName: text.optional().describe("Who locked it."),
    lockedAt: text.optional().describe("When it was locked."),
    ttlInDays: count.optional().describe("Duration of the lock in days."),
  })
  .describe("Lock of the cluster. A locked cluster is not changed.");

/** The platform's status object. The documented surface shows it only in the answers to stop and upgrade. */
const record = {
  state: text.describe("State of the cluster on the platform, verbatim, e.g. DEPLOYED."),
  isDeployed: z.boolean().describe("Whether the platform reports the cluster as deployed."),
  reason: text.describe("Reason of the platform's change of the cluster, verbatim, e.g. MAINTENANCE."),
  nextKubernetesVersion: text.describe("The version of Kubernetes that the platform offers next."),
  lastExecutionId: text.describe("The platform's id of the last deployment of the cluster."),
  lastDeploymentDate: text.describe("Time of the last deployment of the cluster."),
  lock,
};

const order = z
  .object({
    operation: z.enum(["Stop", "Start", "Upgrade"]).describe("Requested operation."),
    kubernetesVersion: text.optional().describe("Requested version."),
    generation: count.describe("Generation of the spec that requested it."),
    baseline: text.optional().describe("State on the platform before the request, until the platform shows a new one."),
  })
  .describe("Last request of the operator to the platform.");

const token = z
  .object({
    secretName: text.describe("Name of the Secret."),
    expiresAt: text.optional().describe("Expiration time of the token, in the platform's format."),
    renewAt: time.describe("Time of its renewal."),
    generation: count.describe("Generation of the spec that it was written for."),
    resourceVersion: text.describe(
      "Version of the Secret after it was written: another one shows that somebody changed it.",
    ),
  })
  .describe("The Secret with the token of the cluster.");

const versionBaseline = z
  .object({
    kubernetesVersion: text.optional().describe("Version that counts as the one that runs."),
    generation: count.describe("Generation of the resource when this was recorded."),
  })
  .describe(
    "First version in the spec, or version of the last upgrade of the cluster, if the platform shows no versions; a newer version in the spec causes an upgrade.",
  );

const recorded = {
  verified: z.boolean().describe("Whether the platform has shown that the cluster belongs to the organization."),
  versionBaseline,
};

const own = {
  runState: z.enum(["Running", "Stopped"]).describe("The run state of the spec that was applied."),
  runUntil,
  lastOrder: order,
  token,
};

export type ClusterMemory = z.output<typeof platformCluster.memory>;
export type VersionBaseline = z.output<typeof versionBaseline>;
export type ClusterOperation = z.output<typeof order>;

export const platformCluster = defineResource({
  kind: "PlatformCluster",
  lifecycle: "Independent",
  shortNames: ["pcl"],
  description: "An existing cluster of the platform: running or stopped, upgraded, with a token for its users.",
  spec,
  memory: { ...record, ...own },
  recorded,
  status: managedStatus(
    {
      ...record,
      ...own,
      nextRunChange,
      name: text.optional().describe("Name of the cluster on the platform."),
      region: text.optional().describe("Region that it is in."),
      provider: text.optional().describe("Cloud provider, verbatim, e.g. AWS."),
      kubernetesVersion: text.optional().describe("Version of Kubernetes that it runs."),
      credentials: z
        .object({
          id: id.describe("Id of the credentials."),
          name: text.optional().describe("Their name."),
          objectType: text.optional().describe("Their type, verbatim, e.g. AWS."),
        })
        .optional()
        .describe("The cloud credentials of spec.credentialsId, without their keys."),
    },
    recorded,
  ),
  columns: managedColumns([
    column("State", ".status.state", "State on the platform, verbatim."),
    column("Deployed", ".status.isDeployed", "Whether it is deployed.", "boolean"),
    column("Next-K8s", ".status.nextKubernetesVersion", "Version of Kubernetes that the platform offers next."),
    column("Locked", '.status.conditions[?(@.type=="Locked")].status', "Whether it is locked."),
    wide("Lock-Owner", ".status.lock.ownerName", "Who locked it."),
    ...SCHEDULE_COLUMNS,
  ]),
  rules: [RUNS_BY_SCHEDULE],
  selectableFields: [".spec.connectionRef.name", ".spec.externalId"],
});
