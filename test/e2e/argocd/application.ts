import { z } from "zod";

import { kubectl } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { comes } from "../../support/env/cluster.ts";
import { ARGOCD } from "./argocd.ts";

const REFRESH = "argocd.argoproj.io/refresh";

const optional = z.string().optional();
const Health = z.object({ status: optional, message: optional });
const Resource = z.object({ kind: z.string(), name: z.string(), status: optional, health: Health.optional() });
const Operation = z.object({ phase: z.string(), message: optional });

const ApplicationObject = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  status: z
    .object({
      health: Health.default({}),
      sync: z.object({ status: z.string(), revision: optional }).optional(),
      resources: z.array(Resource).default([]),
      history: z.array(z.object({ revision: z.string() })).default([]),
      operationState: Operation.optional(),
    })
    .prefault({}),
});
export type ApplicationStatus = z.output<typeof ApplicationObject>["status"] & {
  /** Whether a refresh was requested and is not done yet. */
  readonly isRefreshing: boolean;
};

export type Application = Awaited<ReturnType<typeof createApplication>>;

const TIMEOUT_MS = 150_000;

/** Creates an Application of a folder that syncs, prunes and heals automatically, and is named after the folder. */
export async function createApplication(at: ControlPlaneFacts, repoURL: string, folder: string, namespace: string) {
  const name = folder;
  const manifest = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: ARGOCD },
    spec: {
      project: "default",
      source: { repoURL, path: folder, targetRevision: "main" },
      destination: { server: at.server, namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true, allowEmpty: true } },
    },
  };
  await kubectl(at, ["apply", "-f", "-"], { input: JSON.stringify(manifest) });

  const readStatus = async (): Promise<ApplicationStatus> => {
    const text = await kubectl(at, ["get", "application.argoproj.io", name, "-n", ARGOCD, "-o", "json"]);
    const { metadata, status } = ApplicationObject.parse(JSON.parse(text));
    return { ...status, isRefreshing: metadata.annotations[REFRESH] !== undefined };
  };
  const until = async (isMet: (status: ApplicationStatus) => boolean): Promise<ApplicationStatus> => {
    let last: ApplicationStatus | undefined;
    const found = await comes(async () => {
      last = await readStatus();
      return isMet(last) ? last : undefined;
    }, TIMEOUT_MS);
    if (found === undefined) throw new Error(`Application ${name} did not reach the state: ${JSON.stringify(last)}`);
    return found;
  };
  return {
    status: readStatus,
    /** @throws Error with the last status when the condition is not met in time */
    until,
    /** Makes Argo CD read git now, like its webhook; `hard` also drops its cache. */
    refresh: async (type: "normal" | "hard" = "normal"): Promise<void> => {
      const refresh = `${REFRESH}=${type}`;
      await kubectl(at, ["annotate", "application.argoproj.io", name, "-n", ARGOCD, "--overwrite", refresh]);
    },
    healthy: (revision: string): Promise<ApplicationStatus> =>
      until(
        ({ sync, health, operationState }) =>
          sync?.status === "Synced" &&
          sync.revision === revision &&
          health.status === "Healthy" &&
          operationState?.phase === "Succeeded",
      ),
  };
}
