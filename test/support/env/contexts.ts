import { readFile, writeFile } from "node:fs/promises";

import { parse, stringify } from "yaml";
import { z } from "zod";

import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.unknown() })]),
  users: z.tuple([z.object({ user: z.unknown() })]),
});

/**
 * Writes a kubeconfig with a context for the admin of each cluster, the first of which is the current one.
 * @param clusters the control planes by the names of their contexts
 */
export async function writeContexts(
  path: string,
  clusters: Readonly<Record<string, ControlPlaneFacts>>,
): Promise<void> {
  const admins = await Promise.all(
    Object.entries(clusters).map(async ([name, { kubeconfigPath }]) => {
      const admin = Kubeconfig.parse(parse(await readFile(kubeconfigPath, "utf8")));
      return { name, cluster: admin.clusters[0].cluster, user: admin.users[0].user };
    }),
  );
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: admins.map(({ name, cluster }) => ({ name, cluster })),
    users: admins.map(({ name, user }) => ({ name, user })),
    contexts: admins.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    "current-context": admins[0]?.name,
  };
  await writeFile(path, stringify(config), { mode: 0o600 });
}
