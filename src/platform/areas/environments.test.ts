import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  OTHER,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

const current = { id: ID, name: "prod", record: { id: ID, name: "prod", mode: "STAGING", cluster_id: OTHER } };

const EXTENDED = { extended: true };

describe("an environment", () => {
  it.each<Sent>([
    [
      "created on a cluster",
      (platform) => platform.environments.create(ID, { name: "prod", mode: "PRODUCTION", clusterId: OTHER }),
      `POST /project/${ID}/environment`,
      { name: "prod", mode: "PRODUCTION", cluster_id: OTHER },
    ],
    [
      "created with its cluster under both names, where that is required",
      (platform) => platform.environments.create(ID, { name: "prod", mode: "PRODUCTION", clusterId: OTHER }, EXTENDED),
      `POST /project/${ID}/environment`,
      { name: "prod", mode: "PRODUCTION", cluster_id: OTHER, cluster: OTHER },
    ],
    [
      "created on the default cluster",
      (platform) => platform.environments.create(ID, { name: "prod" }),
      `POST /project/${ID}/environment`,
      { name: "prod" },
    ],
    [
      "changed on top of what is there",
      (platform) => platform.environments.update(current, { name: "live" }),
      `PUT /environment/${ID}`,
      { name: "live", mode: "STAGING", cluster_id: OTHER },
    ],
    [
      "asked for helm's default values, the source as it is",
      (platform) =>
        platform.environments.helmDefaultValues(ID, {
          helm_repository: { repository: null, chartName: "web", count: [1, 2n ** 63n, true], gone: undefined },
        }),
      `POST /environment/${ID}/helmDefaultValues`,
      { source: { helm_repository: { repository: null, chartName: "web", count: [1, 9223372036854775808n, true] } } },
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    ["no name", (platform) => platform.environments.create(ID, { name: "" }), "name: blank"],
    ["no name in a PUT", (platform) => platform.environments.update(current, { name: "" }), "name: blank"],
    [
      "a cluster by its name",
      (platform) => platform.environments.create(ID, { name: "prod", clusterId: "production" }),
      "clusterId: not a UUID",
    ],
    [
      "half a character",
      (platform) => platform.environments.create(ID, { name: "prod", mode: LONE_SURROGATE }),
      "mode: not well-formed Unicode",
    ],
    [
      "a source that JSON cannot say",
      (platform) => platform.environments.helmDefaultValues(ID, { git_repository: { depth: NaN } }),
      "source.git_repository.depth: not a value of JSON",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
