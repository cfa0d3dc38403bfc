/** Every operation of the platform's client, called without a platform behind it. */
import type { Platform, PlatformOptions } from "../../../src/platform/index.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../../../src/platform/transport/http.ts";
import { clientOf } from "../../support/platform/client.ts";
import type { World } from "../../support/platform/env.ts";

/**
 * A platform in memory, for as many requests as a property test makes.
 * @param answer returns the answer to a request
 */
export function memoryPlatform(answer: (request: HttpRequest) => HttpAnswer, change: Partial<PlatformOptions> = {}) {
  let sent: HttpRequest[] = [];
  const transport: Transport = {
    exchange: async (request) => {
      sent.push(request);
      return answer(request);
    },
    close: async () => {},
  };
  const at = { baseUrl: "https://platform.example", pathPrefix: "/api/v1", allowInsecure: false };
  return {
    platform: clientOf({ ...at, transport, ...change }),
    /** Returns the requests since the last call. */
    taken: (): readonly HttpRequest[] => {
      const all = sent;
      sent = [];
      return all;
    },
  };
}

export function answerOf(status: number, text: string): HttpAnswer {
  return { status, text, header: () => undefined };
}

/** A world in which every id is this one and nothing exists. */
export function emptyPlatform(id: string): Omit<World, "connect" | "calls" | "close"> {
  const thing = { id, name: "thing", record: {}, deploymentRequestId: id };
  const area = new Proxy({}, { get: () => async () => thing });
  const time = { setSpeed: () => {}, advance: () => {} };
  return {
    admin: new Proxy({}, { get: () => area }) as Platform,
    simulator: { credentialsId: id, sim: { time } } as unknown as World["simulator"],
    members: () => ({ extended: true }),
    projectId: id,
    environmentId: id,
    applicationId: id,
    databaseId: id,
    clusterIds: [id, id],
    name: () => "thing",
    newApplication: async () => id,
    newDatabase: async () => id,
    newBlueprint: async () => ({ id, serviceId: id }),
  };
}
