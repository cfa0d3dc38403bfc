import { z } from "zod";

/** What the guard process is told to start. */
export const GuardOrder = z.object({
  /** Removed at the end. */
  dir: z.string().min(1),
  binDir: z.string().min(1),
  crdsDir: z.string().optional(),
  /** Whether kube-controller-manager runs too. */
  controllers: z.boolean(),
  apiServerFlags: z.record(z.string(), z.string().nullable()),
});
export type GuardOrder = z.infer<typeof GuardOrder>;

/** What it answers, once. */
export const GuardAnswer = z.discriminatedUnion("is", [
  z.object({ is: z.literal("up"), server: z.string(), kubeconfigPath: z.string() }),
  z.object({ is: z.literal("failed"), message: z.string() }),
]);
export type GuardAnswer = z.infer<typeof GuardAnswer>;
