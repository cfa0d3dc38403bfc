/** The OLM bundle: OLM's own validation, and an API server with OLM's CRD. */
import { join } from "node:path";

import { describe, expect, inject, it } from "vitest";

import { writeBundle } from "../../scripts/olm/index.ts";
import { kubectl } from "../control-plane/access.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findBundleValidator } from "../tools/olm.ts";
import { newFolder } from "./folder.ts";
import { installCrds } from "./foreign-crds.ts";

const validator = await findBundleValidator();
const bundle = await newFolder("olm");
await writeBundle(bundle, "registry.example.com/platform-operator:0.1.0");

describe("the OLM bundle", () => {
  it("passes the validation of operator-sdk", async () => {
    // It mistakes rights to events.k8s.io for rights to its v1beta1, as RBAC rules have no version.
    const { stdout } = await runToEnd(validator.program, [bundle]);
    expect(JSON.parse(stdout)).toEqual([expect.stringMatching(/Warning: .*removed in v1\.25.* events: /)]);
  });

  it("has only fields that the API server knows, with OLM's CRD", async () => {
    const cluster = inject("controlPlane");
    await installCrds(cluster, validator.crds);
    const options = ["--server-side", "--validate=strict", "-n", "default"];
    const applied = await kubectl(cluster, ["apply", ...options, "-f", join(bundle, "manifests")]);
    expect(applied).toMatch(/^clusterserviceversion\S+ serverside-applied$/m);
  });
});
