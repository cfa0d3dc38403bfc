import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { ignoredBody, json, jsonOrEmpty, list, longJson } from "../codec/decode.ts";
import { encodeWith } from "../codec/encode.ts";
import { optional, pathId, record, wellShaped } from "../codec/schema.ts";
import { ApiError } from "../transport/errors.ts";
import { serviceStatus } from "./service-status.ts";

/** The spec calls the router's id `router_id`; deployed services call it `routerId`. */
const ingressStatus = record({ router_id: optional.text, routerId: optional.text, status: optional.text });
const service = record({
  id: pathId,
  name: z.string(),
  service_type: optional.text,
  /** The id of the blueprint that created the service, if any. */
  blueprint_id: optional.of(pathId),
  icon_uri: optional.text,
  created_at: optional.date,
});
const statuses = optional.of(wellShaped(serviceStatus)).transform((list) => list ?? []);
const environmentStatuses = record({
  applications: statuses,
  containers: statuses,
  databases: statuses,
  helms: statuses,
  jobs: statuses,
  terraforms: statuses,
}).transform((byType) => Object.values(byType).flat());

/** One service of the organization, with its parents. */
const located = record({ id: pathId, environment_id: optional.of(pathId), project_id: optional.of(pathId) });
const locatedQuery = z.object({ environment_id: pathId });

export type IngressStatus = z.output<typeof ingressStatus>;
/** One service of an environment, of any type. */
export type Service = z.output<typeof service>;

const serviceList = list(service);
const locatedList = list(located);

/** @returns the operations on services of any type; each function throws ApiError */
export function services(caller: Caller) {
  const status = read(caller, "getIngressStatus", json(ingressStatus));
  // The spec writes the service type in lower case, the whole API in upper case: the first success decides for this
  // connection.
  let isUpperCase: boolean | undefined;

  return {
    /**
     * The state of a service's ingress; deployed services leave members out while there is none.
     * @param options.isFull decides with which spelling of the service type to begin
     */
    ingressStatus: async (
      serviceType: "application" | "container" | "helm",
      serviceId: string,
      { isFull, ...options }: ReadOptions & { readonly isFull: boolean },
    ): Promise<IngressStatus> => {
      const get = async (inUpperCase: boolean) => {
        const answer = await status(inUpperCase ? serviceType.toUpperCase() : serviceType, serviceId, options);
        isUpperCase = inUpperCase;
        return answer;
      };
      if (isUpperCase !== undefined) return get(isUpperCase);
      try {
        return await get(isFull);
      } catch (error) {
        if (!isNoSuchPath(error)) throw error;
        return get(!isFull).catch((second: unknown) => {
          throw isInvalid(second) ? error : second;
        });
      }
    },
    /** All services of an environment. */
    list: read(caller, "listServices", serviceList),
    /** The services of the organization in one environment: it has none of another organization's. */
    inOrganization: (environmentId: string, options?: ReadOptions) =>
      caller.read("listOrganizationServices", [], {
        query: encodeWith(locatedQuery, { environment_id: environmentId }),
        answer: locatedList,
        ...options,
      }),
    /** The states of all services of an environment in one request. */
    statuses: read(caller, "listServiceStatuses", longJson(environmentStatuses)),
    stopHelm: write(caller, "stopHelm", jsonOrEmpty(serviceStatus)),
    deleteHelm: write(caller, "deleteHelm", ignoredBody),
    /** Deletes a Terraform service with its resources. */
    deleteTerraform: write(caller, "deleteTerraform", ignoredBody),
  };
}

/** Reports whether the platform does not have the path, which may mean that the service has no ingress. */
function isNoSuchPath(error: unknown): boolean {
  return isInvalid(error) || (error instanceof ApiError && error.failure.is === "NotFound");
}

function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.failure.is === "Invalid";
}
