/** Creates and reads an Application of Argo CD. */
import { z } from "zod";

import { kubectl } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { comes } from "../env/cluster.ts";
import { ARGOCD } from "./argocd.ts";

const Health = z.object({ status: z.string().optional(), message: z.string().optional() });
const REFRESH = "argocd.argoproj.io/refresh";

const Shown = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  status: z
    .object({
      health: Health.default({}),
      sync: z.object({ status: z.string(), revision: z.string().optional() }).optional(),
      resources: z
        .array(
          z.object({ kind: z.string(), name: z.string(), status: z.string().optional(), health: Health.optional() }),
        )
        .default([]),
      history: z.array(z.object({ revision: z.string() })).default([]),
      operationState: z
        .object({
          phase: z.string(),
          message: z.string().optional(),
          syncResult: z
            .object({
              resources: z
                .array(
                  z.object({
                    kind: z.string(),
                    name: z.string(),
                    hookType: z.string().optional(),
                    hookPhase: z.string().optional(),
                  }),
                )
                .optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .prefault({}),
});
export type Look = z.output<typeof Shown>["status"] & {
  /** Whether a refresh was requested and is not done yet. */
  readonly isRefreshing: boolean;
};

export interface Application {
  look(): Promise<Look>;
  /** Makes Argo CD read git now, like its webhook; `hard` also drops its cache. */
  refresh(how?: "normal" | "hard"): Promise<void>;
  /** @throws Error with the last look when the condition is not met in time */
  until(is: (look: Look) => boolean): Promise<Look>;
  /** Waits until this commit is synced and everything is Healthy. */
  healthy(revision: string): Promise<Look>;
}

export interface ApplicationOptions {
  readonly name: string;
  readonly repoURL: string;
  readonly path: string;
  /** The namespace of the destination. */
  readonly namespace: string;
  readonly syncOptions?: readonly string[];
}

const TIMEOUT_MS = 150_000;

/** Creates an Application that syncs, prunes and heals by itself. */
export async function createApplication(at: ControlPlaneFacts, options: ApplicationOptions): Promise<Application> {
  const { name, repoURL, path, namespace, syncOptions = [] } = options;
  const manifest = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: ARGOCD },
    spec: {
      project: "default",
      source: { repoURL, path, targetRevision: "main" },
      destination: { server: at.server, namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true, allowEmpty: true }, syncOptions },
    },
  };
  await kubectl(at, ["apply", "-f", "-"], { input: JSON.stringify(manifest) });

  const look = async (): Promise<Look> => {
    const text = await kubectl(at, ["get", "application.argoproj.io", name, "-n", ARGOCD, "-o", "json"]);
    const { metadata, status } = Shown.parse(JSON.parse(text));
    return { ...status, isRefreshing: metadata.annotations[REFRESH] !== undefined };
  };
  const until: Application["until"] = async (is) => {
    let last: Look | undefined;
    const found = await comes(async () => {
      last = await look();
      return is(last) ? last : undefined;
    }, TIMEOUT_MS);
    if (found === undefined) throw new Error(`Application ${name} did not come to it: ${JSON.stringify(last)}`);
    return found;
  };
  return {
    look,
    until,
    refresh: async (how = "normal") => {
      const refresh = `${REFRESH}=${how}`;
      await kubectl(at, ["annotate", "application.argoproj.io", name, "-n", ARGOCD, "--overwrite", refresh]);
    },
    healthy: (revision) =>
      until(
        ({ sync, health, operationState }) =>
          sync?.status === "Synced" &&
          sync.revision === revision &&
          health.status === "Healthy" &&
          operationState?.phase === "Succeeded",
      ),
  };
}
