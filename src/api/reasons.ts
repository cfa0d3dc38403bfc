/**
 * All reasons of conditions. `Deployed`, `ClusterDeployed` and `IngressReady` may also have a state of the platform
 * verbatim as their reason (docs/project/architecture.md §5).
 */
export const REASONS = {
  // The goal is reached.
  Available:
    "The object exists on the platform as described, as far as the platform shows it. Of a connection: it can be used. Of a catalog: it was read.",
  Deployed: "The commit, or the service of a blueprint, is deployed.",
  Stopped: "The service or cluster is stopped, and the spec does not ask for anything else.",
  NotDeployed: "Nothing is deployed, and the operator is not to deploy it now.",
  Bound: "The template is bound and every selected or mandatory layer is enabled.",
  Progressing: "Work is under way.",
  ReconcileSuccess: "The last exchange with the platform succeeded.",
  // Work is in progress.
  Creating: "The object is being created on the platform.",
  Deploying: "A deployment runs.",
  Building: "A build runs.",
  Stopping: "The service is being stopped.",
  Restarting: "The service is being restarted.",
  Upgrading: "The cluster is being upgraded.",
  Deleting: "The object is being deleted on the platform.",
  Canceling: "A deployment is being canceled.",
  Queued: "A request waits: the platform has queued it, or does not take it while other work is under way.",
  // Something else is needed first.
  ParentNotReady: "A resource that the spec refers to exists, but is not ready or has no id yet.",
  ParentNotFound:
    "A resource that the spec refers to does not exist, or the platform does not find the parent or an object that the spec names by its id (404).",
  DependencyNotReady:
    "A referenced Secret, ConfigMap or object is missing or not ready, or a value in it is not UTF-8 text.",
  ConnectionNotReady:
    "There is no connection, it does not allow the namespace, or it cannot be used now; the message or the connection's own conditions say why.",
  WaitingForChildren: "Children must be deleted first.",
  ApprovalPending: "A plan waits for approval.",
  CreateResultUnknown: "A create was sent, and its result cannot be determined.",
  // A person is needed.
  CredentialsMissing: "The Secret with the token, or with the proxy's credentials, or its key, does not exist.",
  CredentialsInvalid: "The platform rejected the token (401), or the token cannot be sent in a header.",
  PermissionDenied:
    "The platform forbids the operation (403), the connection's allowedProjects does not list the project, a reference names an object of another namespace by its id, or the operator lacks a right in the cluster.",
  SecretNotAllowed:
    "The spec refers to a Secret that it may not refer to: one that a connection or the operator uses, one with credentials of the cluster or its tools, or one without the labels of the connection's allowedSecrets.",
  InvalidSpec:
    "The spec is not valid, or the platform rejected it (400, 422), or the object leaves no room for the operator's records.",
  Rejected:
    "The platform rejected the request for a reason outside of the spec: 402, 413, 451 or another status that the operator does not know. Nothing was executed; the message has the platform's sentence.",
  ProgressDeadlineExceeded: "The platform's operation shows no progress for too long; the operator still polls it.",
  DeploymentFailed: "The deployment failed.",
  BuildFailed: "The build failed.",
  StopFailed: "Stopping failed.",
  RestartFailed: "The restart failed.",
  DeleteFailed: "Deleting failed.",
  DeletionBlocked:
    "The deletion waits for a person: the spec is not valid, the connection leads elsewhere, the token is rejected, or the object holds what other resources or the orphan ledger keep.",
  Canceled: "The deployment was canceled.",
  NameConflict:
    "An object of that name exists and may not be adopted, the platform answers 409 to its creation, an id leads to an object of another name or target, or a ConfigMap or Secret of others has the name of an output.",
  AlreadyManaged: "Another custom resource holds the same object of the platform, or writes the same variable.",
  DuplicateRemote: "Several objects of the platform match.",
  ExternalResourceDeleted: "The object no longer exists on the platform.",
  ConnectionChanged: "The connection now points to another host or organization.",
  ParentChanged: "The parent is now another object of the platform.",
  ForeignLedger: "Another installation of the operator wrote this object's records.",
  UnreadableLedger: "This object's records have a form that this version of the operator does not know.",
  MassChangeHeld: "Too many changes that no user caused; they are held until a user confirms them.",
  TemplateNotAvailable: "The template or its version is not in the platform's list.",
  ClusterLocked: "The cluster is locked.",
  VersionNotAvailable: "The platform does not offer the cluster this version of Kubernetes.",
  UpgradeFailed: "The platform accepted the upgrade, but the cluster does not run the version.",
  NotCreated: "The object does not exist on the platform, and a policy forbids its creation.",
  Orphaned: "In an event: the resource was deleted, and its object stays on the platform.",
  // The documented surface cannot do it.
  UpdateNotSupported:
    "The platform's surface has no such update. Of SettingsSynced=False: the settings that the message names stay as they are on the platform; nothing else waits for them.",
  DeleteNotSupported: "The platform's surface has no delete.",
  NotObservable:
    "The platform's surface does not show it, or the connection's limits (allowedProjects, allowUnverifiedIds) exclude it. Of Ready=Unknown: nothing is left to do, and no read shows the state; an accepted request may have failed since.",
  NotListed: "A list of the platform does not show the object, and nothing proves that it is gone.",
  NotSupportedByPlatform:
    "The platform has no such operation: its surface lacks it, or it answered 405, 501, or 404 for an object that it shows.",
  // The exchange with the platform failed or is limited.
  RateLimited: "The platform limits the rate of requests: with 429, or with headers that show a used-up limit.",
  PlatformUnavailable: "The platform answers with errors (5xx).",
  PlatformUnreachable: "The platform cannot be reached, or a connection gets only errors (5xx) from it.",
  UnexpectedResponse:
    "The platform's answer does not have the documented shape; or the answer to a request is no JSON (401, 403, 404, 405, 501), so a firewall or proxy sent it, and it proves nothing.",
  UnknownState: "The platform reports a state that does not show whether the object works.",
  DriftDetected: "The platform differs from the spec.",
  NoDrift: "The platform equals the spec where it can be compared.",
  Unlocked: "The cluster is not locked.",
  UpToDate: "The last change is deployed.",
  DeployPending: "The last change is not deployed yet.",
  ReconcilePaused: "Reconciling is paused by annotation.",
  InternalError: "The operator failed on this object; others are not affected.",
  // Bindings and variables.
  TypeListed: "The platform lists the type of the managed database.",
  TypeNotListed: "The platform does not list the type of the managed database; the list is advice.",
  Valid: "The configuration satisfies the template's or the blueprint's constraints.",
  FieldsIgnored: "The configuration is valid; some of its fields have no effect.",
  LayersEnabled: "Every selected layer is enabled.",
  LayersNotEnabled: "Some selected layers are not enabled.",
  VariablesSynced: "The variables are on the platform as declared.",
  VariablesPending: "Some variables are not on the platform as declared.",
  VariablesLeft: "Some variables left the spec and are still on the platform.",
} as const;

export type Reason = keyof typeof REASONS;

/** Reports whether a text, e.g. of a stored status, is a reason. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}
