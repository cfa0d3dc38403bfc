import { describe } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE, ORGANIZATION } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const everything = {
  endpoint: "api/v1/query",
  query: "a&b=c",
  start: "1",
  end: "2",
  step: "3",
  time: "4",
  timeout: "5",
  dedup: "6",
  partialResponse: "7",
  maxSourceResolution: "8",
  engine: "9",
  analyze: "10",
  boardShortName: "11",
  metricShortName: "12",
  traceId: "13",
  range: "",
};
const spelled =
  "endpoint=api%2Fv1%2Fquery&query=a%26b%3Dc&start=1&end=2&step=3&time=4&timeout=5&dedup=6&partial_response=7" +
  "&max_source_resolution=8&engine=9&analyze=10&board_short_name=11&metric_short_name=12&trace_id=13&range=";
const up = { endpoint: "query", query: "up" };
const at = `GET /cluster/${ID}`;
const metrics = (query: Parameters<Platform["clusters"]["metrics"]>[1]) => (platform: Platform) =>
  platform.clusters.metrics(ID, query);

describe("a cluster", () => {
  itSends(
    ["asked for a token", ({ clusters }) => clusters.token("prod eu"), "GET /cluster/prod%20eu/token"],
    ["asked for a read token", ({ clusters }) => clusters.token(ID, { readOnly: true }), `${at}/token?read_only=true`],
    ["asked for some metrics", metrics({ ...up, start: undefined }), `${at}/metrics?endpoint=query&query=up`],
    ["asked for all metrics", metrics(everything), `${at}/metrics?${spelled}`],
    ["stopped", ({ clusters }) => clusters.stop(ID), `POST /organization/${ORGANIZATION}/cluster/${ID}/stop`],
    ["upgraded", ({ clusters }) => clusters.upgrade(ID), `POST /cluster/${ID}/upgrade`],
  );

  itRefuses(
    ["metrics of no endpoint and no query", metrics({ endpoint: "", query: " " }), "endpoint: blank; query: blank"],
    ["half a character", metrics({ ...up, traceId: LONE_SURROGATE }), "traceId: not well-formed Unicode"],
  );
});
