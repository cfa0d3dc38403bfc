/** Observations of webhooks for property tests: any answer of the platform. */
import fc from "fast-check";

import { webhook } from "../../../src/kinds/webhook/index.ts";
import { supportsOn } from "../kinds/supports.ts";
import { passWith, print } from "../services/applications.ts";
import { hostile, maybe, surface, texts } from "./values.ts";

const WEBHOOK = "00000000-0000-4000-8000-0000000000d1";

const urls = fc.oneof(
  hostile,
  fc.constantFrom("https://x.example", "https://u:s3cret-value@x.example/s3cret-value?q=1"),
);
const record = fc.record({
  id: fc.constant(WEBHOOK),
  targetUrl: maybe(urls),
  events: maybe(fc.array(hostile, { maxLength: 100 })),
  enabled: maybe(fc.boolean()),
  ...texts("kind", "createdAt", "updatedAt"),
  record: fc.constant({}),
});
const spec = webhook.resource.spec.parse({
  targetUrl: "https://u:s3cret-value@x.example/s3cret-value",
  events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"],
});
const pass = fc
  .record({
    surface,
    memory: fc.constantFrom({}, { registered: print("old") }, { registered: print("new") }),
    proof: fc.constantFrom("recorded", "claimed", "given"),
    goal: fc.constantFrom("present", "absent"),
  })
  .map((change) => ({
    ...passWith({ id: WEBHOOK }),
    spec,
    inputs: { settings: print("new") },
    ...change,
    supports: supportsOn(change.surface),
  }));

export const webhookObservation = fc.record({
  pass,
  observed: fc.record({ shown: fc.oneof(record, fc.constant("gone"), fc.constant(undefined)), sent: fc.boolean() }),
});
