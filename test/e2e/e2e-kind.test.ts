/** The manifests of `make e2e-kind` on a real API server, which needs no Docker. */
import { expect, inject, it } from "vitest";

import { quickstartManifests, simulatorManifests, VALUES } from "../../scripts/e2e-kind/objects.ts";
import { kubectl } from "../control-plane/access.ts";
import { manifestsIn, openHelm, template } from "./helm.ts";

it("make e2e-kind applies manifests that the API server accepts, strictly", async () => {
  const cluster = inject("controlPlane");
  const chart = manifestsIn(await template(await openHelm(), VALUES));
  const all = [...simulatorManifests(), ...manifestsIn(quickstartManifests()), ...chart];
  // In one namespace, as a dry run creates none for those that follow.
  const input = all
    .map((manifest) => JSON.stringify(manifest).replaceAll(/"namespace":"[^"]+"/g, '"namespace":"default"'))
    .join("\n---\n");
  const args = ["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"];
  const applied = await kubectl(cluster, args, { input });
  expect(applied.trim().split("\n")).toHaveLength(all.length);
});
