/** Facts for catalogs: Artifact Hub shows the chart, OLM the bundle. */
import { parse } from "yaml";

import { GROUP, VERSION as API_VERSION } from "../src/api/names.ts";
import { RESOURCES } from "../src/kinds/index.ts";
import { exampleOf } from "./examples.ts";

const SOURCE = "https://github.com/platform-operator/platform-operator";

export const LISTING = {
  source: SOURCE,
  name: "Platform Operator",
  description: "Kubernetes operator for a cloud deployment platform's API",
  keywords: ["operator", "deployment", "platform", "gitops"],
  license: "Apache-2.0",
  /** A category of Artifact Hub. */
  category: "integration-delivery",
  /** One of the five levels of the Operator Framework. */
  capabilities: "Seamless Upgrades",
  minKubeVersion: "1.30.0",
  /** The platforms of the image that .github/workflows/release.yaml builds. */
  platforms: ["linux/amd64", "linux/arm64"],
  links: [
    { name: "Guides", url: `${SOURCE}/blob/main/docs/guides/README.md` },
    { name: "Reference", url: `${SOURCE}/blob/main/docs/reference/README.md` },
    { name: "Runbooks", url: `${SOURCE}/blob/main/docs/runbooks/README.md` },
    { name: "Changelog", url: `${SOURCE}/blob/main/CHANGELOG.md` },
    // Artifact Hub shows the link of this name as the place to report issues.
    { name: "support", url: `${SOURCE}/issues` },
  ],
} as const;

/** Every CRD, in the members that Artifact Hub and OLM both have. */
export const CRDS = RESOURCES.map(({ kind, plural, description }) => ({
  kind,
  version: API_VERSION,
  name: `${plural}.${GROUP}`,
  displayName: kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " "),
  description,
}));

/** @returns an example of every kind, from examples/. */
export function examples(): readonly unknown[] {
  return RESOURCES.map(({ kind }): unknown => parse(exampleOf(kind).yaml));
}
