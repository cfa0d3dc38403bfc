/** The names of what the operator has in the cluster. Light: commands that only need a name load no CRDs. */
import { GROUP } from "../../api/names.ts";

/** The name of the namespace, ServiceAccount, roles and bindings. */
export const OPERATOR = "platform-operator";
export const LEASE_NAME = "platform-operator-leader-election";
/** The annotation of the lease that sets the log level of all replicas. */
export const LOG_LEVEL = `${GROUP}/log-level`;

/** The ConfigMaps of the orphan ledger are named `<this>-0` and so on, up to the count. */
export const ORPHANS = `${OPERATOR}-orphans`;
export const ORPHAN_SHARDS = 16;
/** The label by which people find them. */
export const ORPHANS_LABEL = { name: `${GROUP}/ledger`, value: "orphans" } as const;
