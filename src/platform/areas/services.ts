import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { json, list } from "../codec/decode.ts";
import { date, optional, record, text, uuid, wellShaped } from "../codec/schema.ts";
import { ApiError } from "../transport/errors.ts";
import { serviceStatus } from "./service-status.ts";
import type { ServiceStatus } from "./service-status.ts";

/** The spec calls the router's id `router_id`; deployed services call it `routerId`. */
const ingressStatus = record({ router_id: text, routerId: text, status: text });
const service = record({
  id: uuid,
  name: z.string(),
  service_type: text,
  /** Of a service that came from a blueprint: the blueprint's own id. */
  blueprint_id: optional(uuid),
  icon_uri: text,
  created_at: date,
});
const statuses = optional(wellShaped(serviceStatus)).transform((list) => list ?? []);
const environmentStatuses = z.object({
  applications: statuses,
  containers: statuses,
  databases: statuses,
  helms: statuses,
  jobs: statuses,
  terraforms: statuses,
});

export type IngressStatus = z.output<typeof ingressStatus>;
/** One service of an environment, of whatever type. */
export type Service = z.output<typeof service>;

export interface Services {
  /** The state of a service's ingress; deployed services leave members out while there is none. */
  ingressStatus(
    serviceType: "application" | "container" | "helm",
    serviceId: string,
    options?: ReadOptions,
  ): Promise<IngressStatus>;
  /** Full surface: all services of an environment. */
  list(environmentId: string, options?: ReadOptions): Promise<readonly Service[]>;
  /** Full surface: the states of all services of an environment in one request. */
  statuses(environmentId: string, options?: ReadOptions): Promise<readonly ServiceStatus[]>;
}

const serviceList = list(service);

export function services(caller: Caller): Services {
  // The spec writes the service type in lower case, deployed services in upper case: the first success decides.
  let spelling: "lower" | "upper" | undefined;

  return {
    ingressStatus: async (serviceType, serviceId, options) => {
      const get = async (spelled: "lower" | "upper") => {
        const segment = spelled === "lower" ? serviceType : serviceType.toUpperCase();
        const status = await caller.read(
          "getIngressStatus",
          { serviceType: segment, serviceId },
          { answer: json(ingressStatus), ...options },
        );
        spelling = spelled;
        return status;
      };
      if (spelling !== undefined) return get(spelling);
      try {
        return await get("lower");
      } catch (error) {
        if (!isNoSuchPath(error)) throw error;
        return get("upper").catch(() => {
          throw error;
        });
      }
    },
    list: (environmentId, options) =>
      caller.read("listServices", { environmentId }, { answer: serviceList, ...options }),
    statuses: async (environmentId, options) => {
      const byType = await caller.read(
        "listServiceStatuses",
        { environmentId },
        { answer: json(environmentStatuses), ...options },
      );
      return Object.values(byType).flat();
    },
  };
}

function isNoSuchPath(error: unknown): boolean {
  return error instanceof ApiError && (error.failure.is === "NotFound" || error.failure.is === "Invalid");
}
