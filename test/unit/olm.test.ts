import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { LISTING } from "../../scripts/listing.ts";
import { bundleManifests } from "../../scripts/olm/index.ts";
import { ruleOf } from "../../scripts/rbac.ts";
import { GRANTS } from "../../src/operator/config/rbac.ts";
import { textOf } from "./repository.ts";

const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.unknown().optional(),
});
const installed = parseAllDocuments(textOf("deploy/install.yaml")).map((document) => Manifest.parse(document.toJS()));

const permission = z.object({ serviceAccountName: z.literal("platform-operator"), rules: z.array(z.unknown()) });
const Csv = z.object({
  spec: z.object({
    install: z.object({
      spec: z.object({
        clusterPermissions: z.tuple([permission]),
        permissions: z.tuple([permission]),
        deployments: z.tuple([z.object({ name: z.literal("platform-operator"), spec: z.unknown() })]),
      }),
    }),
  }),
});
const bundle = bundleManifests();
const { spec } = Csv.parse(bundle.get("manifests/platform-operator.clusterserviceversion.yaml")).spec.install;

it("gives the operator the rights that it declares, and no other", () => {
  const granted = (isNamespaced: boolean) =>
    GRANTS.filter(({ where }) => (where === "operator's namespace") === isNamespaced).map(ruleOf);
  const [{ rules: everywhere }] = spec.clusterPermissions;
  const [{ rules: inNamespace }] = spec.permissions;
  expect(everywhere).toHaveLength(granted(false).length);
  expect(everywhere).toEqual(expect.arrayContaining(granted(false)));
  expect(inNamespace).toEqual(granted(true));
});

it("has all that deploy/install.yaml has, but what OLM makes itself, what a bundle cannot hold, and ids of a user", () => {
  const ids = new Set(["runAsUser", "runAsGroup", "fsGroup"]);
  const deployment = installed.find(({ kind }) => kind === "Deployment")?.spec;
  const withoutIds: unknown = JSON.parse(
    JSON.stringify(deployment, (key, value: unknown) => (ids.has(key) ? undefined : value)),
  );
  expect(spec.deployments[0].spec).toEqual(withoutIds);
  const inCsv = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Deployment"].map(
    (kind) => `${kind} platform-operator`,
  );
  const beside = [...bundle.values()].flatMap((manifest) => {
    const { success, data } = Manifest.safeParse(manifest);
    return success ? [`${data.kind} ${data.metadata.name}`] : [];
  });
  const held = new Set([...inCsv, ...beside]);
  const left = installed
    .filter(({ kind }) => kind !== "CustomResourceDefinition")
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .filter((name) => !held.has(name));
  expect(left).toEqual([
    "Namespace platform-operator",
    "ServiceAccount platform-operator",
    "ValidatingAdmissionPolicy platform-operator",
    "ValidatingAdmissionPolicyBinding platform-operator",
  ]);
});

it("names the platforms for which the image is built", () => {
  const platforms = `--platform ${LISTING.platforms.join(",")} `;
  expect(textOf(".github/workflows/release.yaml")).toContain(platforms);
});
