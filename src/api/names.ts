/** The API group of every custom resource, and the prefix of our annotations. */
export const GROUP = "platform-operator.io";
export const VERSION = "v1alpha1";
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Set only while the deletion policy is Delete or Stop. */
export const FINALIZER = `${GROUP}/finalizer`;

/** Annotations that users write. */
export const PAUSED = `${GROUP}/paused`;
export const RECONCILE_REQUESTED_AT = `${GROUP}/reconcile-requested-at`;
export const POLL_INTERVAL = `${GROUP}/poll-interval`;
export const RESOLVE = `${GROUP}/resolve`;
export const APPROVED_PLAN = `${GROUP}/approved-plan`;

/** Annotations that we write: the backup of the id and its seal, whose ledger made it, and the intent of a create. */
export const EXTERNAL_ID = `${GROUP}/external-id`;
export const SEAL = `${GROUP}/seal`;
export const INSTALLATION = `${GROUP}/installation`;
export const INTENT = `${GROUP}/intent`;
/** On an object that does one thing only: its own uid, namespace and name, before the first request. */
export const BEGUN = `${GROUP}/begun`;
