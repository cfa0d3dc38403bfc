import { describe } from "vitest";

import { ID, itRefuses, itSends, ORGANIZATION } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const usual = { events: ["DEPLOYMENT_STARTED"], enabled: true };
const input = { ...usual, targetUrl: "https://x.example/y" };
const sent = { ...usual, target_url: "https://x.example/y" };
const current = { id: ID, record: { id: ID, ...sent, kind: "SLACK", target_secret_set: true } };
const create = (change: object) => (platform: Platform) => platform.webhooks.create({ ...input, ...change });
const update = (change: object) => (platform: Platform) => platform.webhooks.update(current, { ...input, ...change });
const post = `POST /organization/${ORGANIZATION}/webhook`;

describe("a webhook", () => {
  itSends(
    ["created as the spec shows it", create({}), post, sent],
    [
      "created with its kind and its secret, as deployed services want it",
      create({ kind: "STANDARD", targetSecret: "hush" }),
      post,
      { ...sent, kind: "STANDARD", target_secret: "hush" },
    ],
    [
      "changed on top of what is there",
      update({ events: [], enabled: false }),
      `PUT /organization/${ORGANIZATION}/webhook/${ID}`,
      { ...sent, events: [], enabled: false, kind: "SLACK", target_secret_set: true },
    ],
  );

  itRefuses(
    ["a target that is no URL", create({ targetUrl: "/y" }), "targetUrl: not a URI"],
    ["an event without a name", update({ events: ["DEPLOYMENT_STARTED", ""] }), "events.1: blank"],
  );
});
