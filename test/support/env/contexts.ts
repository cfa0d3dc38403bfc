import { readFile, writeFile } from "node:fs/promises";

import { parse } from "yaml";
import { z } from "zod";

import { kubeconfigText } from "../../control-plane/access.ts";
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
  const admins = Object.entries(clusters).map(async ([name, { kubeconfigPath }]) => {
    const admin = Kubeconfig.parse(parse(await readFile(kubeconfigPath, "utf8")));
    return [name, { ...admin.clusters[0], ...admin.users[0] }] as const;
  });
  await writeFile(path, kubeconfigText(Object.fromEntries(await Promise.all(admins))), { mode: 0o600 });
}
