import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  ORGANIZATION,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

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
  "start=1&end=2&step=3&time=4&timeout=5&dedup=6&partial_response=7&max_source_resolution=8&engine=9&analyze=10" +
  "&board_short_name=11&metric_short_name=12&trace_id=13&range=";

describe("a cluster", () => {
  it.each<Sent>([
    ["asked for a token", (platform) => platform.clusters.token("prod eu"), "GET /cluster/prod%20eu/token", undefined],
    [
      "asked for a token to read",
      (platform) => platform.clusters.token(ID, { readOnly: true }),
      `GET /cluster/${ID}/token?read_only=true`,
      undefined,
    ],
    [
      "asked for metrics, by what is needed",
      (platform) => platform.clusters.metrics(ID, { endpoint: "query", query: "up", start: undefined }),
      `GET /cluster/${ID}/metrics?endpoint=query&query=up`,
      undefined,
    ],
    [
      "asked for metrics, by all there is",
      (platform) => platform.clusters.metrics(ID, everything),
      `GET /cluster/${ID}/metrics?endpoint=api%2Fv1%2Fquery&query=a%26b%3Dc&${spelled}`,
      undefined,
    ],
    [
      "stopped",
      (platform) => platform.clusters.stop(ID),
      `POST /organization/${ORGANIZATION}/cluster/${ID}/stop`,
      undefined,
    ],
    ["upgraded", (platform) => platform.clusters.upgrade(ID), `POST /cluster/${ID}/upgrade`, undefined],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    [
      "metrics of no endpoint and no query",
      (platform) => platform.clusters.metrics(ID, { endpoint: "", query: " " }),
      "endpoint: blank; query: blank",
    ],
    [
      "half a character",
      (platform) => platform.clusters.metrics(ID, { endpoint: "query", query: "up", traceId: LONE_SURROGATE }),
      "traceId: not well-formed Unicode",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
