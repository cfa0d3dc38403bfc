/** What is on the Grafana dashboard. */

export interface Panel {
  /** Unlike any other. */
  readonly title: string;
  readonly about: string;
  readonly is: "stat" | "timeseries" | "table";
  /** Legend → PromQL. */
  readonly shows: Readonly<Record<string, string>>;
  readonly unit?: "short" | "s" | "percentunit" | "reqps" | "bytes" | "ops";
  /** Of a number: from which value on it is good, worth a look, bad. */
  readonly limits?: readonly (readonly [from: number, color: "green" | "orange" | "red"])[];
  /** Of a number: whether the series' name is shown in its place. */
  readonly asName?: boolean;
  /** Of the 24 columns. */
  readonly width: number;
  /** Of 30 pixels each. */
  readonly height: number;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Of the installation that was chosen. */
const IN = 'namespace=~"$namespace", job=~"$job"';
const KINDS = 'controller=~"$controller"';
const QUEUE = 'name="platform-operator"';
const WINDOW = "[$__rate_interval]";
const BAD_ABOVE_ZERO: Panel["limits"] = [
  [0, "green"],
  [1, "orange"],
];

const rate = (metric: string, labels = ""): string =>
  `rate(${metric}{${IN}${labels === "" ? "" : `, ${labels}`}}${WINDOW})`;
const quantile = (q: number, metric: string, by: string, labels = ""): string =>
  `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (${rate(`${metric}_bucket`, labels)}))`;
const stat = (title: string, about: string, expr: string, more: Partial<Panel> = {}): Panel => ({
  title,
  about,
  is: "stat",
  shows: { "": expr },
  width: 3,
  height: 4,
  ...more,
});
const graph = (title: string, about: string, shows: Panel["shows"], unit: Panel["unit"] = "short"): Panel => ({
  title,
  about,
  is: "timeseries",
  shows,
  unit,
  width: 8,
  height: 8,
});

const quarter = (title: string, about: string, shows: Panel["shows"]): Panel => ({
  ...graph(title, about, shows),
  width: 6,
});

export const ROWS: readonly Row[] = [
  {
    title: "At a glance",
    panels: [
      stat("Version", "Of the operator.", "", {
        shows: { "{{version}}": `count by (version) (platform_operator_build_info{${IN}})` },
        asName: true,
      }),
      stat("Leaders", "Replicas that hold the lease: one.", `sum(leader_election_master_status{${IN}})`, {
        limits: [
          [0, "red"],
          [1, "green"],
          [2, "red"],
        ],
      }),
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
        `sum(platform_operator_resources_stalled{${IN}}) or vector(0)`,
        { limits: BAD_ABOVE_ZERO },
      ),
      stat("Waiting", "Custom resources that wait for a worker.", `sum(workqueue_depth{${IN}, ${QUEUE}})`),
      stat(
        "Failed requests",
        "Share of the requests to the platform that got a 5xx or no answer.",
        `(sum(${rate("platform_operator_api_requests_total", 'code=~"0|5.."')}) or vector(0)) / (sum(${rate("platform_operator_api_requests_total", 'code!="held"')}) > 0) or vector(0)`,
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
        "Until the connection that has to wait longest may send again.",
        `max(platform_operator_api_rate_limited_seconds{${IN}})`,
        { unit: "s", limits: BAD_ABOVE_ZERO },
      ),
    ],
  },
  {
    title: "Custom resources",
    panels: [
      quarter("By readiness", "Custom resources by their condition Ready.", {
        "Ready {{ready}}": `sum by (ready) (platform_operator_resources{${IN}})`,
      }),
      quarter("Not Ready, by kind", "Custom resources that are not Ready, for whatever reason.", {
        "{{kind}}": `sum by (kind) (platform_operator_resources{${IN}, ready!="True"}) > 0`,
      }),
      quarter("Stalled, by reason", "What waits for a person.", {
        "{{kind}} {{reason}}": `sum by (kind, reason) (platform_operator_resources_stalled{${IN}})`,
      }),
      quarter("Drift and plans", "Differences from the spec, and plans that wait for approval or a window.", {
        "{{kind}} drifted": `sum by (kind) (platform_operator_resources_drifted{${IN}}) > 0`,
        "{{kind}} planned": `sum by (kind) (platform_operator_plans_pending{${IN}}) > 0`,
        "{{kind}} in an unknown state": `sum by (kind) (platform_operator_resources_unknown_state{${IN}}) > 0`,
      }),
      {
        title: "Not Ready, one by one",
        about: "One line for each; needs metrics.perObject.",
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
        "Half, nine of ten and 99 of 100 passes take no longer.",
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
          busy: `sum(controller_runtime_active_workers{${IN}, ${KINDS}}) / max(controller_runtime_max_concurrent_reconciles{${IN}, ${KINDS}})`,
        },
        "percentunit",
      ),
      graph("Queue", "Custom resources that wait for a worker.", {
        depth: `sum(workqueue_depth{${IN}, ${QUEUE}})`,
      }),
      graph(
        "Time in the queue",
        "How long 99 of 100 wait, and the longest pass that runs.",
        {
          p99: quantile(0.99, "workqueue_queue_duration_seconds", "", QUEUE),
          "longest pass": `max(workqueue_longest_running_processor_seconds{${IN}, ${QUEUE}})`,
        },
        "s",
      ),
      graph(
        "Work that goes on",
        "For how long the resource that is worked on longest has been.",
        { "{{kind}}": `max by (kind) (platform_operator_operation_in_progress_seconds{${IN}}) > 0` },
        "s",
      ),
      graph(
        "Changes",
        "Changing calls of the platform.",
        {
          "{{kind}} {{operation}} {{result}}": `sum by (kind, operation, result) (${rate("platform_operator_changes_total")}) > 0`,
        },
        "ops",
      ),
      graph(
        "Time of an operation",
        "Nine of ten take no longer.",
        {
          "{{kind}} {{operation}}":
            quantile(0.9, "platform_operator_operation_duration_seconds", "kind, operation") + " >= 0",
        },
        "s",
      ),
      graph(
        "Drift found",
        "How often the platform was found to differ.",
        { "{{kind}}": `sum by (kind) (${rate("platform_operator_drift_detected_total")}) > 0` },
        "ops",
      ),
    ],
  },
  {
    title: "The platform's API",
    panels: [
      graph(
        "Requests",
        "By the code of the answer; 0 is no answer, held did not leave.",
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
        "99 of 100 take no longer.",
        { "{{operation}}": `${quantile(0.99, "platform_operator_api_request_duration_seconds", "operation")} >= 0` },
        "s",
      ),
      graph(
        "Pause",
        "Until the connection that was asked to slow down, and has to wait longest, may send again.",
        { pause: `max(platform_operator_api_rate_limited_seconds{${IN}})` },
        "s",
      ),
      graph(
        "Deliveries",
        "What the receiver got from the platform.",
        { "{{event}} {{result}}": `sum by (event, result) (${rate("platform_operator_webhook_deliveries_total")})` },
        "ops",
      ),
      graph(
        "Values that are not documented",
        "How often the platform told one.",
        { "{{field}}": `sum by (field) (${rate("platform_operator_api_unknown_value_total")})` },
        "ops",
      ),
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
        "Silence of the watches",
        "Seconds since the API server told something.",
        { "{{kind}}": `max by (kind) (platform_operator_watch_last_event_age_seconds{${IN}})` },
        "s",
      ),
      graph(
        "Events that were not written",
        "Events of Kubernetes that were dropped.",
        { dropped: `sum(${rate("platform_operator_events_dropped_total")})` },
        "ops",
      ),
      graph("CPU", "Cores.", { "{{pod}}": rate("process_cpu_seconds_total") }),
      graph("Memory", "Resident.", { "{{pod}}": `process_resident_memory_bytes{${IN}}` }, "bytes"),
      graph(
        "Lag of the event loop",
        "99 of 100 turns are no later.",
        { "{{pod}}": `nodejs_eventloop_lag_p99_seconds{${IN}}` },
        "s",
      ),
    ],
  },
];
