import { describe } from "vitest";

import { ID, itRefuses, itSends, ORGANIZATION } from "../../../test/support/platform/requests.ts";

const input = { targetUrl: "https://x.example/y", events: ["DEPLOYMENT_STARTED"], enabled: true };
const sent = { target_url: "https://x.example/y", events: ["DEPLOYMENT_STARTED"], enabled: true };
const current = { id: ID, record: { id: ID, ...sent, kind: "SLACK", target_secret_set: true } };
const post = `POST /organization/${ORGANIZATION}/webhook`;

describe("a webhook", () => {
  itSends(
    ["created as the spec shows it", ({ webhooks }) => webhooks.create(input), post, sent],
    [
      "created with its kind and its secret, as deployed services want it",
      ({ webhooks }) => webhooks.create({ ...input, kind: "STANDARD", targetSecret: "hush" }),
      post,
      { ...sent, kind: "STANDARD", target_secret: "hush" },
    ],
    [
      "changed on top of what is there",
      ({ webhooks }) => webhooks.update(current, { ...input, events: [], enabled: false }),
      `PUT /organization/${ORGANIZATION}/webhook/${ID}`,
      { ...sent, events: [], enabled: false, kind: "SLACK", target_secret_set: true },
    ],
  );

  itRefuses(
    [
      "a target that is no URL",
      ({ webhooks }) => webhooks.create({ ...input, targetUrl: "/y" }),
      "targetUrl: not a URI",
    ],
    [
      "an event without a name",
      ({ webhooks }) => webhooks.update(current, { ...input, events: ["DEPLOYMENT_STARTED", ""] }),
      "events.1: blank",
    ],
  );
});
