/**
 * What a delivery says (specification, Events; docs/architecture.md §9). It is a hint from outside: nothing of it is
 * used but which applications to look at, and its event's name as a label.
 */
import { z } from "zod";

/** Both families of names: those of the documentation, and those of deployed services. */
const EVENTS = [
  "DEPLOYMENT_STARTED",
  "DEPLOYMENT_SUCCEEDED",
  "DEPLOYMENT_FAILED",
  "DEPLOYMENT_SUCCESSFUL",
  "DEPLOYMENT_FAILURE",
  "DEPLOYMENT_CANCELLED",
] as const;

/** A bounded label: names that nobody documented are one. */
export type EventLabel = (typeof EVENTS)[number] | "other";

export interface Delivery {
  readonly event: EventLabel;
  /** Ids of applications, each once. */
  readonly ids: readonly string[];
}

/** Nobody deploys more at once. */
const MOST_IDS = 500;

const id = z.guid().transform((text) => text.toLowerCase());
const body = z.object({
  event_type: z.enum(EVENTS).or(z.literal("other")).catch("other"),
  payload: z
    .object({
      application_id: id.optional().catch(undefined),
      applications: z
        .array(
          z
            .object({ id })
            .transform((application) => application.id)
            .or(z.unknown().transform(() => undefined)),
        )
        .catch([]),
    })
    .catch({ application_id: undefined, applications: [] }),
});

const NOTHING: Delivery = { event: "other", ids: [] };

/** @returns what there is to it; nothing for what cannot be read. Never throws. */
export function readDelivery(text: string): Delivery {
  const parsed = body.safeParse(parseJson(text));
  if (!parsed.success) return NOTHING;
  const { event_type: event, payload } = parsed.data;
  const ids = [payload.application_id, ...payload.applications].filter((one) => one !== undefined);
  return { event, ids: [...new Set(ids)].slice(0, MOST_IDS) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
