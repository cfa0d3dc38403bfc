import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  ORGANIZATION,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

const input = { targetUrl: "https://x.example/y", events: ["DEPLOYMENT_STARTED"], enabled: true };
const sent = { target_url: "https://x.example/y", events: ["DEPLOYMENT_STARTED"], enabled: true };
const current = { id: ID, record: { id: ID, ...sent, kind: "SLACK", target_secret_set: true } };

describe("a webhook", () => {
  it.each<Sent>([
    [
      "created as the spec shows it",
      (platform) => platform.webhooks.create(input),
      `POST /organization/${ORGANIZATION}/webhook`,
      sent,
    ],
    [
      "created with its kind and its secret, as deployed services want it",
      (platform) => platform.webhooks.create({ ...input, kind: "STANDARD", targetSecret: "hush" }),
      `POST /organization/${ORGANIZATION}/webhook`,
      { ...sent, kind: "STANDARD", target_secret: "hush" },
    ],
    [
      "changed on top of what is there",
      (platform) => platform.webhooks.update(current, { ...input, events: [], enabled: false }),
      `PUT /organization/${ORGANIZATION}/webhook/${ID}`,
      { ...sent, events: [], enabled: false, kind: "SLACK", target_secret_set: true },
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    [
      "a target that is no URL",
      (platform) => platform.webhooks.create({ ...input, targetUrl: "/y" }),
      "targetUrl: not a URI",
    ],
    [
      "an event without a name",
      (platform) => platform.webhooks.update(current, { ...input, events: ["DEPLOYMENT_STARTED", ""] }),
      "events.1: blank",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
