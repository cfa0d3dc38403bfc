/** The API group of every custom resource, and the prefix of the operator's annotations. */
export const GROUP = "platform-operator.io";
export const VERSION = "v1alpha1";
export const API_VERSION = `${GROUP}/${VERSION}`;

/** The operator's finalizer. It is set only while the deletion policy is Delete or Stop. */
export const FINALIZER = `${GROUP}/finalizer`;

/** Annotations that users write. */
export const PAUSED = `${GROUP}/paused`;
export const RECONCILE_REQUESTED_AT = `${GROUP}/reconcile-requested-at`;
/** Requests one more deployment of an application or a database, for each value. */
export const REDEPLOY_REQUESTED_AT = `${GROUP}/redeploy-requested-at`;
/** Flux's own annotation for the same request. */
export const FLUX_REQUESTED_AT = "reconcile.fluxcd.io/requestedAt";
export const POLL_INTERVAL = `${GROUP}/poll-interval`;
/** The time until which an object runs even in a window of spec.runSchedule. */
export const RUN_UNTIL = `${GROUP}/run-until`;
export const RESOLVE = `${GROUP}/resolve`;
export const APPROVED_PLAN = `${GROUP}/approved-plan`;

/**
 * Annotations that the operator writes: the backup of the id and its signature, the installation that wrote them, and
 * the intent of a create.
 */
export const EXTERNAL_ID = `${GROUP}/external-id`;
export const RECORD_SIGNATURE = `${GROUP}/record-signature`;
export const INSTALLATION = `${GROUP}/installation`;
export const INTENT = `${GROUP}/intent`;
/**
 * The started marker: the uid, namespace and name of the object. It is set when a request is started that must not be
 * sent twice and that only the status records.
 */
export const ACTION_STARTED = `${GROUP}/action-started`;

/**
 * The keys of the Secret of spec.writeConnectionSecretToRef whose values are not secret: spec and status show them too.
 */
export const PLAIN_CONNECTION_KEYS: ReadonlySet<string> = new Set(["id", "name", "environmentId", "environment"]);

/** The Secret with the key of the installation, in the operator's namespace. */
export const INSTALLATION_KEY = "platform-operator-key";
