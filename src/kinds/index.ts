/** Every kind, parents first. */
export { application } from "./application/index.ts";
export { createBinding } from "./binding.ts";
export { catalog } from "./catalog.ts";
export { clusterConnection, connection } from "./connection.ts";
export { environment } from "./environment/index.ts";
export { project } from "./project.ts";
export { webhook } from "./webhook/index.ts";
