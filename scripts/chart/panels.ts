/** The rows and panels of the Grafana dashboard. */
import { GLANCE } from "./glance.ts";
import {
  IN,
  KINDS,
  QUEUE,
  HOUR,
  PER_HOUR,
  rate,
  quantile,
  hourly,
  hourlyQuantile,
  graph,
  quarter,
  type Row,
} from "./panel.ts";

export const ROWS: readonly Row[] = [
  GLANCE,
  {
    title: "Custom resources",
    panels: [
      quarter("By readiness", "Custom resources by their condition Ready.", {
        "Ready {{ready}}": `sum by (ready) (platform_operator_resources{${IN}})`,
      }),
      quarter("Not Ready, by kind", "Custom resources that are not Ready, for whatever reason.", {
        "{{kind}}": `sum by (kind) (platform_operator_resources{${IN}, ready!="True"}) > 0`,
      }),
      quarter("Stalled, by reason", "Stalled custom resources, by kind and reason.", {
        "{{kind}} {{reason}}": `sum by (kind, reason) (platform_operator_resources_stalled{${IN}})`,
      }),
      quarter(
        "Drift and plans",
        "Custom resources that differ from their spec, whose plan waits for approval or a change window, or whose state is undocumented.",
        {
          "{{kind}} drifted": `sum by (kind) (platform_operator_resources_drifted{${IN}}) > 0`,
          "{{kind}} planned": `sum by (kind) (platform_operator_plans_pending{${IN}}) > 0`,
          "{{kind}} in an unknown state": `sum by (kind) (platform_operator_resources_unknown_state{${IN}}) > 0`,
        },
      ),
      {
        title: "Not Ready, one by one",
        about: "One row for each custom resource that is not Ready. Needs metrics.perObject.",
        is: "table",
        shows: {
          "": `max by (customresource_kind, exported_namespace, name, ready, reason, suspended) (platform_operator_resource_info{${IN}, ready!="True"})`,
        },
        width: 24,
        height: 8,
      },
    ],
  },
  {
    title: "Work",
    panels: [
      graph(
        "Reconciles",
        "Reconciles by their result.",
        { "{{result}}": `sum by (result) (${rate("controller_runtime_reconcile_total", KINDS)})` },
        "ops",
      ),
      graph(
        "Time of a reconcile",
        "50th, 90th and 99th percentile.",
        {
          p50: quantile(0.5, "controller_runtime_reconcile_time_seconds", "", KINDS),
          p90: quantile(0.9, "controller_runtime_reconcile_time_seconds", "", KINDS),
          p99: quantile(0.99, "controller_runtime_reconcile_time_seconds", "", KINDS),
        },
        "s",
      ),
      graph(
        "Workers",
        "Share of the workers that are busy.",
        {
          busy: `sum(controller_runtime_active_workers{${IN}, ${KINDS}}) / sum(max by (instance) (controller_runtime_max_concurrent_reconciles{${IN}, ${KINDS}}))`,
        },
        "percentunit",
      ),
      graph("Queue", "Custom resources in the queue: they wait for a worker or for the rate limit.", {
        depth: `sum(workqueue_depth{${IN}, ${QUEUE}})`,
      }),
      graph(
        "Time in the queue",
        "99th percentile of the wait in the queue, and duration of the longest running reconcile.",
        {
          p99: quantile(0.99, "workqueue_queue_duration_seconds", "", QUEUE),
          "longest reconcile": `max(workqueue_longest_running_processor_seconds{${IN}, ${QUEUE}})`,
        },
        "s",
      ),
      graph(
        "Work in progress",
        "Duration of the longest work in progress, by kind.",
        { "{{kind}}": `max by (kind) (platform_operator_operation_in_progress_seconds{${IN}}) > 0` },
        "s",
      ),
      graph("Changes", `Requests to the platform that change something. ${PER_HOUR}`, {
        "{{kind}} {{operation}} {{result}}": `sum by (kind, operation, result) (${hourly("platform_operator_changes_total")}) > 0`,
      }),
      graph(
        "Time of an operation",
        `90th percentile. ${PER_HOUR}`,
        {
          "{{kind}} {{operation}}":
            hourlyQuantile(0.9, "platform_operator_operation_duration_seconds", "kind, operation") + " >= 0",
        },
        "s",
      ),
      graph("Drift found", `How often the platform was found to differ. ${PER_HOUR}`, {
        "{{kind}}": `sum by (kind) (${hourly("platform_operator_drift_detected_total")}) > 0`,
      }),
      graph(
        "From a change to its first request",
        `50th and 99th percentile of the changes of custom resources. ${PER_HOUR}`,
        {
          p50: hourlyQuantile(0.5, "platform_operator_apply_to_call_seconds"),
          p99: hourlyQuantile(0.99, "platform_operator_apply_to_call_seconds"),
        },
        "s",
      ),
      graph(
        "From a change to Ready",
        `50th and 95th percentile of the changes of custom resources. ${PER_HOUR}`,
        {
          "{{kind}} p50": `${hourlyQuantile(0.5, "platform_operator_apply_to_ready_seconds", "kind")} >= 0`,
          "{{kind}} p95": `${hourlyQuantile(0.95, "platform_operator_apply_to_ready_seconds", "kind")} >= 0`,
        },
        "s",
      ),
      graph("Changes of resources", `New generations that became Ready. ${PER_HOUR}`, {
        "{{kind}}": `sum by (kind) (${hourly("platform_operator_apply_to_ready_seconds_count")}) > 0`,
      }),
    ],
  },
  {
    title: "The platform's API",
    panels: [
      graph(
        "Requests",
        "By status code. 0: no response; held: not sent because of the rate limit.",
        { "{{code}}": `sum by (code) (${rate("platform_operator_api_requests_total")})` },
        "reqps",
      ),
      graph(
        "Requests that failed",
        "By operation and code.",
        {
          "{{operation}} {{code}}": `sum by (operation, code) (${rate("platform_operator_api_requests_total", 'code!~"2..|held"')}) > 0`,
        },
        "reqps",
      ),
      graph(
        "Time of a request",
        "99th percentile.",
        { "{{operation}}": `${quantile(0.99, "platform_operator_api_request_duration_seconds", "operation")} >= 0` },
        "s",
      ),
      graph(
        "Pause",
        "Time until the connection with the longest pause may send requests again.",
        { pause: `max(platform_operator_api_rate_limited_seconds{${IN}})` },
        "s",
      ),
      graph("Deliveries", `Requests to the webhook receiver. ${PER_HOUR}`, {
        "{{event}} {{result}}": `sum by (event, result) (${hourly("platform_operator_webhook_deliveries_total")})`,
      }),
      graph("Values that are not documented", `Undocumented values in responses of the platform. ${PER_HOUR}`, {
        "{{field}}": `sum by (field) (${hourly("platform_operator_api_unknown_value_total")})`,
      }),
    ],
  },
  {
    title: "The operator",
    panels: [
      graph(
        "Requests to the API server",
        "By method and code.",
        { "{{method}} {{code}}": `sum by (method, code) (${rate("rest_client_requests_total")})` },
        "reqps",
      ),
      graph(
        "Time of a request to the API server",
        "99th percentile.",
        { "{{verb}}": `${quantile(0.99, "rest_client_request_duration_seconds", "verb")} >= 0` },
        "s",
      ),
      graph(
        "Silence of the watches",
        "Seconds since the last event or bookmark of the watch.",
        { "{{kind}}": `max by (kind) (platform_operator_watch_last_event_age_seconds{${IN}})` },
        "s",
      ),
      graph("Events that were not written", `Events of Kubernetes that were dropped. ${PER_HOUR}`, {
        dropped: `sum(${hourly("platform_operator_events_dropped_total")})`,
      }),
      graph("CPU", "Cores.", { "{{pod}}": rate("process_cpu_seconds_total") }),
      graph(
        "Memory",
        "Resident, and the limit of the container, where it has one.",
        {
          "{{pod}}": `process_resident_memory_bytes{${IN}}`,
          limit: `max(platform_operator_memory_limit_bytes{${IN}})`,
        },
        "bytes",
      ),
      graph("Restarts per hour", `Restarts of the process. A new pod does not count. ${PER_HOUR}`, {
        "{{pod}}": `changes(process_start_time_seconds{${IN}}${HOUR})`,
      }),
      graph(
        "Lag of the event loop",
        "99th percentile of the delay. Includes the sampling interval of 50 ms.",
        { "{{pod}}": `nodejs_eventloop_lag_p99_seconds{${IN}}` },
        "s",
      ),
    ],
  },
];
