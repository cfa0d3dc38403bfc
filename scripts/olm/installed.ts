/** The objects of deploy/install.yaml, in the parts that a bundle for OLM has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";
import { z } from "zod";

const INSTALL = join(import.meta.dirname, "../../deploy/install.yaml");

const named = z.looseObject({ name: z.string() });
const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
});
type Manifest = z.infer<typeof Manifest>;
const Role = Manifest.extend({ rules: z.array(z.unknown()) });
const Binding = Manifest.extend({ roleRef: named, subjects: z.array(named) });
const Deployment = Manifest.extend({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        securityContext: z.looseObject({}),
        containers: z.tuple([z.looseObject({ image: z.string() })]),
      }),
    }),
  }),
});

const installed = parseAllDocuments(readFileSync(INSTALL, "utf8")).map((document) => Manifest.parse(document.toJS()));
const ofKind = (kind: string): readonly Manifest[] => installed.filter((manifest) => manifest.kind === kind);

/**
 * Returns the only Deployment, without ids of a user and a group: OpenShift assigns those of the namespace, and rejects
 * others. The image names the same user.
 * @param image replaces its image
 * @throws ZodError unless it has one container
 */
export function deployment(image?: string): z.infer<typeof Deployment> {
  const found = Deployment.parse(ofKind("Deployment")[0]);
  const pod = found.spec.template.spec;
  const { runAsUser: _user, runAsGroup: _group, fsGroup: _files, ...securityContext } = pod.securityContext;
  pod.securityContext = securityContext;
  const [container] = pod.containers;
  if (image !== undefined) container.image = image;
  return found;
}

/** @returns the rules that bindings of a kind of role grant each ServiceAccount, as a ClusterServiceVersion has them */
export function permissions(kind: "Role" | "ClusterRole"): readonly object[] {
  const roles = ofKind(kind).map((role) => Role.parse(role));
  return ofKind(`${kind}Binding`).flatMap((manifest) => {
    const { roleRef, subjects } = Binding.parse(manifest);
    const rules = roles.filter(({ metadata }) => metadata.name === roleRef.name).flatMap((role) => role.rules);
    return subjects.map(({ name }) => ({ serviceAccountName: name, rules }));
  });
}

/** @returns the other manifests of the bundle: ClusterRoles without a binding, and Services. OLM sets the namespace. */
export function besideCsv(): readonly Manifest[] {
  const bound = new Set(ofKind("ClusterRoleBinding").map((manifest) => Binding.parse(manifest).roleRef.name));
  const free = ofKind("ClusterRole").filter(({ metadata }) => !bound.has(metadata.name));
  return [...free, ...ofKind("Service")].map((manifest) => {
    const { namespace: _, ...metadata } = manifest.metadata;
    return { ...manifest, metadata };
  });
}
