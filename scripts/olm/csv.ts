/** The ClusterServiceVersion: how OLM installs the operator, and what it shows of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { OPERATOR } from "../../src/operator/config/names.ts";
import { OPERATOR_VERSION } from "../../src/operator/config/version.ts";
import { CRDS, examples, LISTING } from "../listing.ts";
import { deployment, permissions } from "./installed.ts";

/** OLM's validation requires an e-mail address. The project has no mailbox, so this is a no-reply address of GitHub. */
const NO_REPLY = "platform-operator@users.noreply.github.com";

/** Returns the ClusterServiceVersion (operators.coreos.com/v1alpha1) of this version. */
export function clusterServiceVersion(otherImage?: string): object {
  const { metadata, spec } = deployment(otherImage);
  const [{ image }] = spec.template.spec.containers;
  const { source, name, description, keywords, links, minKubeVersion } = LISTING;
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${OPERATOR}.v${OPERATOR_VERSION}`,
      labels: supported(),
      annotations: {
        "alm-examples": JSON.stringify(examples(), undefined, 2),
        "artifacthub.io/category": LISTING.category,
        "artifacthub.io/license": LISTING.license,
        capabilities: LISTING.capabilities,
        categories: "Integration & Delivery",
        containerImage: image,
        description,
        "operatorframework.io/suggested-namespace": OPERATOR,
        repository: source,
      },
    },
    spec: {
      displayName: name,
      description: `${description}. Its custom resources:\n\n${kinds()}\n`,
      version: OPERATOR_VERSION,
      maturity: "alpha",
      minKubeVersion,
      keywords,
      maintainers: [{ name, email: NO_REPLY }],
      provider: { name, url: source },
      links,
      icon: [{ base64data: icon(), mediatype: "image/svg+xml" }],
      // The other modes require that the Deployment gets the namespaces to watch from OLM, which it does not.
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: type === "AllNamespaces",
      })),
      customresourcedefinitions: { owned: CRDS },
      install: {
        strategy: "deployment",
        spec: {
          clusterPermissions: permissions("ClusterRole"),
          permissions: permissions("Role"),
          deployments: [{ name: metadata.name, label: metadata.labels, spec }],
        },
      },
      relatedImages: [{ name: OPERATOR, image }],
    },
  };
}

function kinds(): string {
  return CRDS.map(({ displayName, description }) => `- **${displayName}**: ${description}`).join("\n");
}

/** The labels by which OLM's catalog is filtered. */
function supported(): Readonly<Record<string, string>> {
  const pairs = LISTING.platforms.flatMap((platform) => {
    const [os, arch] = platform.split("/");
    return [`os.${os}`, `arch.${arch}`];
  });
  return Object.fromEntries(pairs.map((pair) => [`operatorframework.io/${pair}`, "supported"]));
}

function icon(): string {
  return readFileSync(join(import.meta.dirname, "../../docs/icon.svg")).toString("base64");
}
