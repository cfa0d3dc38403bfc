/** Every kind, parents first. */
export { application } from "./application/index.ts";
export { blueprint } from "./blueprint/index.ts";
export { createBinding } from "./binding/index.ts";
export { catalog } from "./catalog/index.ts";
export { cluster } from "./cluster/index.ts";
export { clusterConnection, connection } from "./connection/index.ts";
export { database } from "./database/index.ts";
export { environment } from "./environment/index.ts";
export { operation } from "./operation/index.ts";
export { project } from "./project/index.ts";
export { variableSet } from "./variable-set/index.ts";
export { webhook } from "./webhook/index.ts";
