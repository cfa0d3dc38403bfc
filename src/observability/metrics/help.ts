/** The help text of every metric. Metrics of controller-runtime have its names and texts. */
export const HELP = {
  controller_runtime_reconcile_total: "Total number of reconciliations per controller",
  controller_runtime_reconcile_errors_total: "Total number of reconciliation errors per controller",
  controller_runtime_terminal_reconcile_errors_total: "Total number of terminal reconciliation errors per controller",
  controller_runtime_reconcile_panics_total: "Total number of reconciliation panics per controller",
  controller_runtime_reconcile_timeouts_total: "Total number of reconciliation timeouts per controller",
  controller_runtime_reconcile_time_seconds: "Length of time per reconciliation per controller",
  controller_runtime_max_concurrent_reconciles: "Maximum number of concurrent reconciles per controller",
  controller_runtime_active_workers: "Number of currently used workers per controller",

  workqueue_depth: "Current depth of workqueue by workqueue and priority",
  workqueue_unfinished_work_seconds:
    "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
  workqueue_longest_running_processor_seconds:
    "How many seconds has the longest running processor for workqueue been running.",
  workqueue_adds_total: "Total number of adds handled by workqueue",
  workqueue_retries_total: "Total number of retries handled by workqueue",
  workqueue_queue_duration_seconds: "How long in seconds an item stays in workqueue before being requested",
  workqueue_work_duration_seconds: "How long in seconds processing an item from workqueue takes.",

  rest_client_requests_total: "Number of HTTP requests, partitioned by status code, method, and host.",
  rest_client_request_duration_seconds:
    "Request latency in seconds. Broken down by verb, and host; of a watch until it is open.",
  leader_election_master_status:
    "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
  leader_election_slowpath_total:
    "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.",
  process_resident_memory_bytes: "Resident memory size in bytes.",

  platform_operator_memory_limit_bytes: "Limit of the container's memory; without a limit there is no series",
  platform_operator_build_info: "Version of the operator and of Node",
  platform_operator_api_requests_total:
    "Requests to the platform by operation, method and status code; code 0 stands for no answer, 4xx and the like for statuses that are unusual, held for requests that the rate gate held back",
  platform_operator_api_request_duration_seconds:
    "Time from sending a request to the platform to the end of its answer",
  platform_operator_api_rate_limited_seconds:
    "Seconds until the last connection that the platform asked to slow down may send again",
  platform_operator_api_rate_requests_per_second:
    "Requests a second that the operator allows itself with the token that the platform limits most, as it has learned so far",
  platform_operator_api_waiting_requests:
    "Requests that wait for the rate limit; objects whose requests would wait too are in workqueue_depth",
  platform_operator_changes_total:
    "Changing calls of the platform by the kind of the custom resource, the operation and how they ended",
  platform_operator_watch_last_event_age_seconds:
    "Seconds since the API server last showed a sign of life on the watch of a kind",
  platform_operator_watch_malformed_total: "Objects and events of the API server that could not be read",
  platform_operator_events_dropped_total: "Events that were not written",
  platform_operator_events_moved_total:
    "Events of namespaces that are being terminated, written to the operator's namespace",
  platform_operator_spans_dropped_total: "Spans of traces that did not reach their collector",
  platform_operator_webhook_deliveries_total:
    "Requests to the receiver of the platform's deliveries, by event and by what became of them",

  platform_operator_connection_up:
    "Whether a connection is Ready: 1, or 0; a paused one has no series, and of more than 1,000 those that are down are shown first",
  platform_operator_resources: "Custom resources by kind and by the status of their condition Ready",
  platform_operator_resources_drifted: "Custom resources whose object on the platform differs from the spec now",
  platform_operator_plans_pending: "Custom resources with a plan that waits for approval or for a change window",
  platform_operator_resources_unknown_state:
    "Custom resources whose object on the platform is in a state that the platform's specification does not have; such states are not distinguished: the label state is other",
  platform_operator_orphaned_objects:
    "Objects that stayed on the platform when their custom resources went, as the orphan ledger has them, by kind of the resource",
  platform_operator_resource_info: "One series for each custom resource",
  platform_operator_drift_detected_total:
    "How often an object of the platform was found to differ from its custom resource",

  platform_operator_apply_to_call_seconds:
    "Time from when a new generation of a custom resource is seen to the first request to the platform for it",
  platform_operator_apply_to_ready_seconds:
    "Time from when a new generation of a custom resource is seen, or the wait for another resource, an approval or a change window ends, to Ready",
  platform_operator_operation_duration_seconds:
    "Time from the beginning of work on a custom resource to its end, by the reason that it last worked for (other when that was none of the usual ones) and how it ended: succeeded, failed",
  platform_operator_operation_in_progress_seconds:
    "For how long the custom resource that is worked on longest has been, 0 when there is none; only the platform's own work counts, such as a deployment, from when nothing else was waited for",
  platform_operator_resources_stalled:
    "Custom resources that need a person, by the reason of their condition Stalled; with --metrics-per-namespace by their namespace too",
  platform_operator_api_unknown_value_total:
    "How often the platform returned a value that is not documented, by the field that held it",
} as const;
