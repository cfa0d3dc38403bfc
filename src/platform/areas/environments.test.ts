import { describe } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE, OTHER } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const current = { id: ID, name: "prod", record: { id: ID, name: "prod", mode: "STAGING", cluster_id: OTHER } };
const create =
  (change: { name?: string; mode?: string; clusterId?: string }, extended = false) =>
  (platform: Platform) =>
    platform.environments.create(ID, { name: "prod", ...change }, { extended });
const update = (name: string) => (platform: Platform) => platform.environments.update(current, { name });
const values = (source: Readonly<Record<string, unknown>>) => (platform: Platform) =>
  platform.environments.helmDefaultValues(ID, source);

const [post, put] = [`POST /project/${ID}/environment`, `PUT /environment/${ID}`];
const input = { mode: "PRODUCTION", clusterId: OTHER };
const sent = { name: "prod", mode: "PRODUCTION", cluster_id: OTHER };
const helm = { repository: null, chartName: "web", count: [1, 2n ** 63n, true] };

describe("an environment", () => {
  itSends(
    ["created on a cluster", create(input), post, sent],
    ["created with its cluster under both names", create(input, true), post, { ...sent, cluster: OTHER }],
    ["created on the default cluster", create({}), post, { name: "prod" }],
    ["changed on top of what is there", update("live"), put, { name: "live", mode: "STAGING", cluster_id: OTHER }],
    [
      "asked for helm's default values, the source as it is",
      values({ helm_repository: { ...helm, gone: undefined } }),
      `POST /environment/${ID}/helmDefaultValues`,
      { source: { helm_repository: helm } },
    ],
  );

  itRefuses(
    ["no name", create({ name: "" }), "name: blank"],
    ["no name in a PUT", update(""), "name: blank"],
    ["a cluster by its name", create({ clusterId: "production" }), "clusterId: not a UUID"],
    ["half a character", create({ mode: LONE_SURROGATE }), "mode: not well-formed Unicode"],
    ["a source that is no JSON", values({ git: { depth: NaN } }), "source.git.depth: not a value of JSON"],
  );
});
