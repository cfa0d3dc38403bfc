/** The first row of the Grafana dashboard: an overview. */
import { IN, QUEUE, NONE, ALERTS, BURN, BAD_ABOVE_ZERO, rate, burn, stat, type Row } from "./panel.ts";

/** The leaders of each lease. */
const LEADERS = `sum by (namespace, job, name) (leader_election_master_status{${IN}})`;

export const GLANCE: Row = {
  title: "At a glance",
  panels: [
    stat("Version", "Version of the operator.", "", {
      shows: { "{{version}}": `count by (version) (platform_operator_build_info{${IN}})` },
      asName: true,
    }),
    stat(
      "Leaders",
      "Replicas that lead: exactly one, or with shards exactly one for each shard.",
      `max(${LEADERS} != 1) or min(${LEADERS})`,
      {
        limits: [
          [0, "red"],
          [1, "green"],
          [2, "red"],
        ],
      },
    ),
    stat(
      "Ready",
      "Share of the custom resources that are Ready.",
      `sum(platform_operator_resources{${IN}, ready="True"}) / (sum(platform_operator_resources{${IN}}) > 0)`,
      {
        unit: "percentunit",
        limits: [
          [0, "red"],
          [0.9, "orange"],
          [1, "green"],
        ],
      },
    ),
    stat(
      "Not Ready",
      "Custom resources that are not Ready, for whatever reason.",
      `sum(platform_operator_resources{${IN}, ready!="True"})`,
      { limits: BAD_ABOVE_ZERO },
    ),
    stat(
      "Need a person",
      "Custom resources that are Stalled.",
      `sum(platform_operator_resources_stalled{${IN}}) or ${NONE}`,
      { limits: BAD_ABOVE_ZERO },
    ),
    stat(
      "Waiting",
      "Custom resources in the queue: they wait for a worker or for the rate limit.",
      `sum(workqueue_depth{${IN}, ${QUEUE}})`,
    ),
    stat(
      "Failed requests",
      "Share of the requests to the platform that got a 5xx or no answer.",
      `(sum(${rate("platform_operator_api_requests_total", 'code=~"0|5.."')}) or ${NONE}) / sum(${rate("platform_operator_api_requests_total", 'code!="held"')}) >= 0 or ${NONE}`,
      {
        unit: "percentunit",
        limits: [
          [0, "green"],
          [0.01, "orange"],
          [0.05, "red"],
        ],
      },
    ),
    stat(
      "Asked to slow down",
      "Time until the connection with the longest pause may send requests again.",
      `max(platform_operator_api_rate_limited_seconds{${IN}})`,
      { unit: "s", limits: BAD_ABOVE_ZERO },
    ),
    stat("Alerts", "Number of the operator's alerts that fire.", `count(${ALERTS}) or ${NONE}`, {
      limits: BAD_ABOVE_ZERO,
    }),
    stat(
      "Connections down",
      "Connections that are not Ready.",
      `count(platform_operator_connection_up{${IN}} == 0) or ${NONE}`,
      { limits: BAD_ABOVE_ZERO },
    ),
    stat(
      "Restarts",
      "Restarts of the process within a day. A new pod does not count.",
      `sum(changes(process_start_time_seconds{${IN}}[1d]))`,
      { limits: BAD_ABOVE_ZERO },
    ),
    stat(
      "Memory use",
      "Share of the memory limit that is used, of the replica with the least memory left. No data if the container has no limit.",
      `max(process_resident_memory_bytes{${IN}} / on (namespace, job, pod) platform_operator_memory_limit_bytes{${IN}})`,
      {
        unit: "percentunit",
        limits: [
          [0, "green"],
          [0.8, "orange"],
          [0.9, "red"],
        ],
      },
    ),
    stat(
      "Burn: first request",
      "Share of the changes within an hour that took longer than 30 s to their first request, divided by the share that the objective allows (1 %). No data without changes.",
      burn("call"),
      { limits: BURN, width: 6 },
    ),
    stat(
      "Burn: Ready",
      "Share of the changes within an hour that took longer than 15 minutes to Ready, divided by the share that the objective allows (5 %). No data without changes.",
      burn("ready"),
      { limits: BURN, width: 6 },
    ),
    {
      title: "Alerts that fire",
      about: "Alerts that fire. The runbook of an alert has its name.",
      is: "table",
      shows: {
        "": `max by (alertname, severity, kind, customresource_kind, exported_namespace, name, reason) (${ALERTS})`,
      },
      width: 12,
      height: 6,
    },
    {
      title: "Connections, one by one",
      about: "Connections that are not Ready.",
      is: "table",
      shows: { "": `min by (kind, exported_namespace, name) (platform_operator_connection_up{${IN}}) == 0` },
      width: 12,
      height: 6,
    },
  ],
};
