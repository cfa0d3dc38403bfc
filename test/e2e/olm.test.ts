/** The OLM bundle: OLM's own validation, and an API server with OLM's CRD. */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";

import { writeBundle } from "../../scripts/olm/index.ts";
import { kubectl } from "../control-plane/access.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { type BundleValidator, findBundleValidator } from "../tools/olm.ts";
import { installCrds } from "./foreign-crds.ts";

const IMAGE = "registry.example.com/platform-operator:0.1.0";

let validator: BundleValidator;
let bundle: string;

beforeAll(async () => {
  validator = await findBundleValidator();
  bundle = await mkdtemp(join(tmpdir(), "olm-"));
  await writeBundle(bundle, IMAGE);
  return () => rm(bundle, { recursive: true });
});

async function findingsIn(folder: string): Promise<readonly string[]> {
  return z.array(z.string()).parse(JSON.parse((await runToEnd(validator.program, [folder])).stdout));
}

describe("the OLM bundle", () => {
  it("passes the validation of operator-sdk", async () => {
    // It mistakes rights to events.k8s.io for rights to its v1beta1, as RBAC rules have no version.
    expect(await findingsIn(bundle)).toEqual([expect.stringMatching(/Warning: .*removed in v1\.25.* events: /)]);
  });

  it("fails the validation without a CRD that the ClusterServiceVersion owns", async () => {
    const folder = await mkdtemp(join(tmpdir(), "olm-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(bundle, folder, { recursive: true });
    await rm(join(folder, "manifests/platformprojects.yaml"));
    expect((await findingsIn(folder)).join()).toMatch(/owned CRD .*Kind=PlatformProject.* not found in bundle/);
  });

  it("has only fields that the API server knows, with OLM's CRD", async () => {
    const cluster = inject("controlPlane");
    await installCrds(cluster, validator.crds);
    const options = ["--server-side", "--validate=strict", "-n", "default"];
    const applied = await kubectl(cluster, ["apply", ...options, "-f", join(bundle, "manifests")]);
    expect(applied).toMatch(/^clusterserviceversion\S+ serverside-applied$/m);
  });
});
