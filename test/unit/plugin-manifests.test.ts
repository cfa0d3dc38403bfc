import { expect, it } from "vitest";

import { krewManifest, pluginPackage } from "../../scripts/plugin/manifests.ts";

const facts = { version: "1.2.3", license: "Apache-2.0", engines: { node: ">=24" } };

it("names the plugin's program for npm, without dependencies", () => {
  expect(pluginPackage(facts)).toMatchObject({
    name: "kubectl-platform",
    version: "1.2.3",
    bin: { "kubectl-platform": "kubectl-platform.cjs", "kubectl_complete-platform": "kubectl-platform.cjs" },
  });
  expect(pluginPackage(facts)).not.toHaveProperty("dependencies");
});

it("gives Krew the version, the archive and its digest", () => {
  expect(krewManifest({ ...facts, sha256: "0a1b" })).toMatchObject({
    metadata: { name: "platform" },
    spec: {
      version: "v1.2.3",
      platforms: [{ uri: expect.stringMatching(/\/v1\.2\.3\/kubectl-platform-1\.2\.3\.tgz$/), sha256: "0a1b" }],
    },
  });
});
