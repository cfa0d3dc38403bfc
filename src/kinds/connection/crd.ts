import { z } from "zod";

import {
  choice,
  exactlyOne,
  integer,
  keyRef,
  labelValue,
  mapOf,
  objectName,
  secretRef,
  uuid,
  matches,
} from "../../api/fields.ts";
import { defaults } from "../../api/lifecycle.ts";
import { column, columnsOf, defineResource, SINCE, SYNCED, wide } from "../../api/resource.ts";
import { observingStatus, text } from "../../api/status.ts";

const auth = z
  .object({
    scheme: choice(
      ["Token", "Bearer"],
      "Token",
      "How the token is sent: Token for an API token, Bearer for a user's JWT. Some platforms take an API token with Bearer: the message of a rejected token says which scheme works.",
    ),
    tokenSecretRef: secretRef(
      "The Secret with the token: in the namespace of a PlatformConnection, in the operator's own for a " +
        "ClusterPlatformConnection.",
    ),
  })
  .describe("Authentication to the platform.");

const rateLimit = z
  .object({
    requestsPerSecond: integer(1, 1000)
      .optional()
      .describe(
        "Maximum number of requests per second. The operator starts at this rate and slows down after a 429. Defaults to no limit.",
      ),
    burst: integer(1, 10_000)
      .optional()
      .describe(
        "Number of requests that may be sent at once after an idle time, until the platform shows its limit by a 429 or in headers. Defaults to one request and 2 % of the rate.",
      ),
  })
  .optional()
  .describe(
    "Limit for requests with this token; the lowest limit of all connections with the same token applies. Defaults to none: the operator learns the rate that the platform accepts, starting at 10 requests per second.",
  );

/** Returns the schema of a URL without a path. @param hint what else to do, after the example */
const origin = (example: string, hint = "") =>
  matches(
    /^https?:\/\/([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?\/?$/,
    512,
    `must be a URL of scheme, host and port only, e.g. ${example}${hint}`,
  );

const proxy = z
  .object({
    url: origin("http://proxy.example.com:3128").describe(
      "Scheme, host and port of the proxy, e.g. http://proxy.example.com:3128, without credentials. The operator asks " +
        "it for a tunnel (CONNECT). A private address needs an entry in the flag --allowed-platform-hosts, and so " +
        "does every proxy where that flag is set.",
    ),
    secretRef: z
      .object({ name: objectName.describe("Name of the Secret.") })
      .optional()
      .describe(
        "The Secret with the keys username and password (type kubernetes.io/basic-auth): in the namespace of a " +
          "PlatformConnection, in the operator's own for a ClusterPlatformConnection. Defaults to no credentials.",
      ),
  })
  .optional()
  .describe("Proxy for requests to the platform. Defaults to the operator's own (flag --platform-proxy), or none.");

const caBundle = exactlyOne(
  ["pem", "configMapKeyRef"],
  {
    pem: matches(/-----BEGIN CERTIFICATE-----/, 131_072, "must have certificates in PEM")
      .optional()
      .describe("Certificates in PEM, one after another."),
    configMapKeyRef: keyRef(
      "ConfigMap",
      "ca.crt",
      "The ConfigMap with certificates in PEM: in the namespace of a PlatformConnection, in the operator's own for a " +
        "ClusterPlatformConnection.",
    ).optional(),
  },
  "Certificate authorities to trust instead of Node's own, for the platform and for a proxy with an https URL. " +
    "Exactly one of pem and configMapKeyRef. Defaults to the authorities built into Node.",
).optional();

const common = {
  baseUrl: origin("https://api.example.com", "; a path belongs into pathPrefix").describe(
    "Scheme, host and port of the platform, e.g. https://api.example.com. Only https and hosts that the operator " +
      "was started to allow. Cannot be changed.",
  ),
  pathPrefix: matches(
    /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/,
    200,
    "must be empty or a path that does not end in a slash",
  )
    .default("")
    .describe('Path before every operation, e.g. /api/v1. Defaults to "", no prefix.'),
  organizationId: uuid.describe("Id of the organization on the platform. Cannot be changed."),
  auth,
  proxy,
  caBundle,
  rateLimit,
  surface: choice(
    ["Auto", "Documented", "Full"],
    "Auto",
    "What the platform offers: Documented for the operations of its specification, Full for its whole API (also reads, updates, deletions, the stop of applications, the start of clusters), Auto to find it out by a read of a project. While that is undecided, Documented counts.",
  ),
  allowUnverifiedIds: z
    .boolean()
    .optional()
    .describe(
      "Whether the operator may act on an id that a user sets (externalId of a service, cluster or webhook) although the platform does not show that it belongs to the organization. If true, everybody who may create these kinds can use the full rights of the token. Where the platform lists the services of an environment, a service that the list lacks is never deleted. When absent, a PlatformConnection without allowedProjects accepts such ids, and every other connection refuses them.",
    ),
  allowedProjects: z
    .array(uuid.describe("Id of a project."))
    .min(1)
    .max(256)
    .optional()
    .describe(
      "Projects that may be used through this connection. Clusters, webhooks and invoices, which belong to no project, then need allowUnverifiedIds: true. Defaults to all projects that the token can read.",
    )
    .meta({ "x-kubernetes-list-type": "set" }),
  allowedSecrets: z
    .object({
      matchLabels: mapOf(labelValue.describe("Value of the label."), 16).describe(
        "Labels that a Secret must have, all of them. Without a label, no Secret is selected.",
      ),
    })
    .optional()
    .describe(
      "Secrets that the values of resources may come from, by label, where they use this connection. Whatever it selects, Secrets that connections use, and those of the types kubernetes.io/service-account-token, bootstrap.kubernetes.io/token and helm.sh/release.v1, are refused. Defaults to all others of the resource's namespace.",
    ),
  defaults,
};

const namespacedSpec = z.object(common);

const namespacesUpTo = (mostNames: number) => ({
  names: z
    .array(objectName.describe("Name of a namespace."))
    .max(mostNames)
    .optional()
    .describe("Namespaces by name.")
    .meta({ "x-kubernetes-list-type": "set" }),
  selector: z
    .object({
      matchLabels: mapOf(labelValue.describe("Value of the label."), 16).describe(
        "Labels that a namespace must have, all of them. Without a label, no namespace is selected.",
      ),
    })
    .optional()
    .describe("Namespaces by label."),
});

const clusterSpec = z.object({
  ...common,
  allowedNamespaces: z
    .object({
      ...namespacesUpTo(256),
      limited: z
        .array(
          z
            .object({
              ...namespacesUpTo(64),
              allowedProjects: z
                .array(uuid.describe("Id of a project."))
                .min(1)
                .max(256)
                .describe(
                  "Projects that these namespaces may use. Where the connection has allowedProjects, both must list a project.",
                )
                .meta({ "x-kubernetes-list-type": "set" }),
            })
            .describe("Some namespaces and their projects."),
        )
        .max(64)
        .optional()
        .meta({ "x-kubernetes-list-type": "atomic" })
        .describe(
          "Namespaces that may use some projects only, also where names or selector allow them without a limit. Of several entries for a namespace, the projects of all count.",
        ),
    })
    .optional()
    .describe(
      "Namespaces that may use this connection, by name or by selector. Their resources name no object by its id that a resource of another namespace holds. Defaults to none.",
    ),
});

/** The spec of both kinds; one that is namespaced has no allowedNamespaces. */
export type ConnectionSpec = z.output<typeof clusterSpec>;

const surfaceFound = z
  .object({
    name: z
      .enum(["Documented", "Full"])
      .describe("Documented: the operations of the specification. Full: the platform's whole API."),
    foundAt: text.describe("When that was found."),
  })
  .describe(
    "What the platform offers, as spec.surface declares it or a probe found it. Absent while it is undecided: then only the operations of the specification are used.",
  );

const remembered = { surface: surfaceFound };

export type ConnectionMemory = z.output<typeof platformConnection.memory>;

const shared = {
  memory: remembered,
  recorded: {},
  rules: [
    {
      rule: "self.spec.organizationId == oldSelf.spec.organizationId",
      message:
        "spec.organizationId cannot be changed: make another connection, or, if nothing was created through this one, delete it and apply it again",
      fieldPath: ".spec.organizationId",
    },
    {
      // This compares more than the host: the API server's cost estimate forbids taking URLs apart here.
      rule: "self.spec.baseUrl == oldSelf.spec.baseUrl",
      message:
        "spec.baseUrl cannot be changed: make another connection, or, if nothing was created through this one, delete it and apply it again",
      fieldPath: ".spec.baseUrl",
    },
  ],
  columns: columnsOf(
    [SYNCED, column("Surface", ".status.surface.name", "Which operations the platform offers."), SINCE],
    [
      wide("Org", ".spec.organizationId", "Organization on the platform."),
      wide("Base-URL", ".spec.baseUrl", "Address of the platform."),
    ],
    "Whether the connection can be used.",
  ),
  selectableFields: [".spec.organizationId"],
};

export const platformConnection = defineResource({
  kind: "PlatformConnection",
  lifecycle: "None",
  shortNames: ["pconn"],
  description: "Access to one organization of the platform for the objects of one namespace.",
  spec: namespacedSpec,
  status: observingStatus(remembered),
  ...shared,
});

export const clusterPlatformConnection = defineResource({
  kind: "ClusterPlatformConnection",
  lifecycle: "None",
  shortNames: ["cpconn"],
  scope: "Cluster",
  description:
    "Access to one organization of the platform for the namespaces that it names. Its Secret is in the operator's " +
    "own namespace.",
  spec: clusterSpec,
  status: observingStatus({
    ...remembered,
    release: text.describe(
      "Namespace of the operator that writes this status. Other releases of the operator use the connection too, and write it only once this one has not run for five minutes.",
    ),
  }),
  ...shared,
});
