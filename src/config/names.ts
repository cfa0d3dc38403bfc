/**
 * The operator's version, and the names of its objects in the cluster. This module does not import the CRDs, so that a
 * command that only needs a name starts fast.
 */
import packageJson from "../../package.json" with { type: "json" };
import { GROUP } from "../api/names.ts";

export const OPERATOR_VERSION = packageJson.version;

/** The name of the namespace, ServiceAccount, roles and bindings. */
export const OPERATOR = "platform-operator";
export const LEASE_NAME = "platform-operator-leader-election";
/** The annotation of the lease that sets the log level of all replicas. */
export const LOG_LEVEL = `${GROUP}/log-level`;

/** The prefix and the number of the orphan ledger's ConfigMaps, `platform-operator-orphans-0` and so on. */
export const ORPHANS = `${OPERATOR}-orphans`;
export const ORPHAN_CONFIG_MAPS = 16;
/** The label that selects them. */
export const ORPHANS_LABEL = { name: `${GROUP}/ledger`, value: "orphans" } as const;
