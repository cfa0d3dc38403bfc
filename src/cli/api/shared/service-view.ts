/** How the state of a service is shown. */
import type { ServiceStatus } from "../../../platform/areas/service-status.ts";
import type { View } from "../../base/render.ts";

/** @param type the type in -o name */
export function serviceView(type: "application" | "database"): View<ServiceStatus> {
  return {
    columns: [
      { name: "STATE", of: ({ state }) => state },
      { name: "DEPLOYMENT", of: ({ serviceDeploymentStatus }) => serviceDeploymentStatus },
      { name: "LAST-DEPLOYED", of: ({ lastDeploymentDate }) => lastDeploymentDate },
      { name: "REQUEST", of: ({ deploymentRequestId }) => deploymentRequestId },
      { name: "REQUESTS", of: ({ deploymentRequestsCount }) => deploymentRequestsCount, wide: true },
      { name: "SUB-ACTION", of: ({ statusDetails }) => statusDetails?.subAction, wide: true },
      { name: "EXECUTION", of: ({ executionId }) => executionId, wide: true },
      { name: "ID", of: ({ id }) => id, wide: true },
    ],
    name: ({ id }) => `${type}/${id}`,
  };
}
