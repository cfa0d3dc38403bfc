import { z } from "zod";

/** What the guard process starts. */
export const GuardOrder = z.object({
  /** Removed at the end. */
  dir: z.string().min(1),
  binDir: z.string().min(1),
  crdsDir: z.string().optional(),
  /** Whether kube-controller-manager runs too. */
  controllers: z.boolean(),
  /** kwok and its stage files: kube-scheduler and kwok run too, and pods become Ready without anything in them. */
  kwok: z.object({ program: z.string().min(1), stages: z.array(z.string()).min(1) }).optional(),
  /** Added to the library's own flags; null takes one of those away. */
  apiServerFlags: z.record(z.string(), z.string().nullable()),
});
export type GuardOrder = z.infer<typeof GuardOrder>;

/** What it answers, once. */
export const GuardAnswer = z.discriminatedUnion("is", [
  z.object({ is: z.literal("up"), server: z.string(), kubeconfigPath: z.string() }),
  z.object({ is: z.literal("failed"), message: z.string() }),
]);
export type GuardAnswer = z.infer<typeof GuardAnswer>;

export type Kwok = NonNullable<GuardOrder["kwok"]>;
