import { z } from "zod";

const nth = z.int().min(0).describe("every how many deliveries; 0 for none");

/** How webhooks' targets are told, and how badly. All times are real. */
export const DeliverySettings = z.strictObject({
  /** How often a delivery is tried in all until it is answered with 2xx. */
  attempts: z.int().min(1),
  /** Before the second try; twice as long before each one after that. */
  backoffSeconds: z.number().min(0),
  timeoutSeconds: z.number().positive(),
  /** How often each delivery is sent, answered or not: 2 for a duplicate of each. */
  copies: z.int().min(1).max(10),
  /** Which deliveries come late, by how much: they arrive after others that happened later. */
  lateEvery: nth,
  lateSeconds: z.number().min(0),
  /** Which deliveries are never sent. */
  loseEvery: nth,
  /** The header that carries the secret of a registration that has one; descriptions of it differ. */
  secretHeader: z.enum(["x-signature", "x-secret"]),
});
export type DeliverySettings = z.infer<typeof DeliverySettings>;

/** Nothing goes wrong. */
export const reliableDeliveries: DeliverySettings = {
  attempts: 5,
  backoffSeconds: 1,
  timeoutSeconds: 5,
  copies: 1,
  lateEvery: 0,
  lateSeconds: 2,
  loseEvery: 0,
  secretHeader: "x-signature",
};
