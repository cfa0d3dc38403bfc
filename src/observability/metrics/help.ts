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

  platform_operator_memory_limit_bytes: "Memory limit of the container; no series without a limit",
  platform_operator_build_info: "Version of the operator and of Node",
  platform_operator_api_requests_total:
    "Requests to the platform by operation, method and status code; code is 0 without a response, 4xx and so on for unusual status codes, and held for requests that the rate gate did not send",
  platform_operator_api_request_duration_seconds:
    "Time from sending a request to the platform to the end of the response",
  platform_operator_api_rate_limited_seconds: "Seconds until the last rate-limited connection may send requests again",
  platform_operator_api_rate_requests_per_second:
    "Requests per second that the operator currently allows for its slowest rate-limited token",
  platform_operator_api_waiting_requests:
    "Requests that wait for the rate limit; objects that wait for it are in workqueue_depth",
  platform_operator_changes_total:
    "Changing requests to the platform, by kind of the custom resource, operation and result",
  platform_operator_watch_last_event_age_seconds: "Seconds since the last event or bookmark on the watch of a kind",
  platform_operator_namespaces_not_served:
    "Namespaces of --watch-namespaces that the operator may not read since its start: they do not exist, or the operator has no RoleBinding in them",
  platform_operator_overlapping_releases:
    "Other releases of the operator in the cluster that watch the same namespaces, as the leader sees them; 0 at a standby",
  platform_operator_watch_malformed_total: "Objects and events of the API server that could not be parsed",
  platform_operator_events_dropped_total: "Events that were not written",
  platform_operator_events_moved_total:
    "Events of terminating namespaces that were written to the operator's namespace",
  platform_operator_webhook_deliveries_total: "Requests to the webhook receiver, by event and result",

  platform_operator_connection_up:
    "Whether a connection is Ready (1) or not (0); paused connections have no series, and of more than 1,000 connections those that are down take precedence",
  platform_operator_resources: "Custom resources by kind and by the status of their condition Ready",
  platform_operator_resources_drifted: "Custom resources whose object on the platform currently differs from the spec",
  platform_operator_plans_pending: "Custom resources with a plan that waits for approval",
  platform_operator_resources_unknown_state:
    "Custom resources whose object on the platform is in an undocumented state; the label state is other for all of them",
  platform_operator_orphaned_objects:
    "Objects in the orphan ledger, which stayed on the platform after their custom resource was deleted, by kind of the resource",
  platform_operator_resource_info: "One series for each custom resource",
  platform_operator_drift_detected_total:
    "Number of times that an object of the platform was found to differ from its custom resource",

  platform_operator_apply_to_call_seconds:
    "Time from observing a new generation of a custom resource to the first request to the platform for it",
  platform_operator_apply_to_ready_seconds:
    "Time from observing a new generation of a custom resource, or from the end of its wait for another resource or an approval, to Ready",
  platform_operator_operation_duration_seconds:
    "Duration of the work on a custom resource, by its last reason (other for unusual ones) and its outcome: succeeded, failed",
  platform_operator_operation_in_progress_seconds:
    "Duration of the longest work in progress, or 0; only the platform's own work counts, such as a deployment, without earlier waits",
  platform_operator_resources_stalled:
    "Custom resources that are Stalled, by the reason of the condition; with --metrics-per-namespace also by namespace",
  platform_operator_api_unknown_value_total: "Undocumented values in responses of the platform, by field",
} as const;
