import { expect, it } from "vitest";

import { krewManifest } from "../../scripts/plugin.ts";

it("the manifest for Krew has the version, the archive and its digest", () => {
  const facts = { version: "1.2.3", license: "Apache-2.0", engines: { node: ">=24" }, sha256: "0a1b" };
  expect(krewManifest(facts)).toMatchObject({
    metadata: { name: "platform" },
    spec: {
      version: "v1.2.3",
      platforms: [{ uri: expect.stringMatching(/\/v1\.2\.3\/kubectl-platform-1\.2\.3\.tgz$/), sha256: "0a1b" }],
    },
  });
});
