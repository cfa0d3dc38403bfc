import { describe, expect, it } from "vitest";

import { record, specOf } from "../../../test/support/services/applications.ts";
import { declaredSettings, observedSettings, settingsDrift, unsentPaths } from "../service/settings.ts";
import { APPLICATION_SETTINGS } from "./model.ts";

const http = { internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true };
const grpc = { internalPort: 9090 };

/** As the platform completes it. */
const completed = { ...grpc, id: "x", name: "p9090", externalPort: 9090, protocol: "HTTP", publiclyAccessible: false };

const DISK = { mountPoint: "/data", size: 10 };
const TCP = { readiness_probe: { type: { tcp: { port: 80 } } } };
const ADDED = { readiness_probe: { type: { tcp: { port: 80, host: "x" } }, period_seconds: 10 }, liveness_probe: null };

const driftOf = (spec: ReturnType<typeof specOf>, found: ReturnType<typeof record>) =>
  settingsDrift(declaredSettings(APPLICATION_SETTINGS, spec), observedSettings(APPLICATION_SETTINGS, found, spec));

/** The paths that differ between what a spec declares and what the platform has. */
function differing(change: Parameters<typeof specOf>[0], remote: Parameters<typeof record>[0]): string[] {
  return driftOf(specOf(change), record(remote)).map(({ path }) => path);
}

describe("the settings of an application", () => {
  it("are those that the spec declares, and that the platform does not follow the branch", () => {
    expect(declaredSettings(APPLICATION_SETTINGS, specOf())).toEqual({
      "spec.name": '"api"',
      "spec.gitRepository.url": '"https://github.com/acme/api.git"',
      "spec.autoDeploy": "false",
      "spec.gitRepository.branch": '"main"',
    });
    const ports = JSON.stringify([http, { internalPort: 9090, publiclyAccessible: false }]);
    const declared = declaredSettings(APPLICATION_SETTINGS, specOf({ minRunningInstances: 0, ports: [grpc, http] }));
    expect(declared).toMatchObject({ "spec.minRunningInstances": "0", "spec.ports": ports });
  });

  it.each<[string, Parameters<typeof specOf>[0], Parameters<typeof record>[0], string[]]>([
    ["the same", {}, {}, []],
    ["what the spec leaves open", {}, { cpu: 500, ports: [http], buildMode: "DOCKER" }, []],
    ["what the platform does not show", { cpu: 250, ports: [http] }, { gitRepository: undefined as never }, []],
    ["a name in other case", {}, { name: "API" }, ["spec.name"]],
    ["a number", { cpu: 250 }, { cpu: 500 }, ["spec.cpu"]],
    ["another repository", {}, { gitRepository: { url: "https://x.example/web.git" } }, ["spec.gitRepository.url"]],
    ["ports in another order", { ports: [http, grpc] }, { ports: [{ ...grpc, id: "x" }, http] }, []],
    ["ports with what the platform adds", { ports: [grpc] }, { ports: [completed] }, []],
    ["ports without what the platform does not show", { ports: [http] }, { ports: [{ internalPort: 8080 }] }, []],
    ["another port", { ports: [http] }, { ports: [http, grpc] }, ["spec.ports"]],
    ["no ports declared, and one there", { ports: [] }, { ports: [grpc] }, ["spec.ports"]],
    ["another outer port", { ports: [http] }, { ports: [{ ...http, externalPort: 8443 }] }, ["spec.ports"]],
    ["disks with what the platform adds", { storage: [DISK] }, { storage: [{ ...DISK, type: "FAST_SSD" }] }, []],
    ["a disk of another size", { storage: [DISK] }, { storage: [{ ...DISK, size: 20 }] }, ["spec.storage"]],
    ["a check with what the platform adds", { healthchecks: TCP }, { healthchecks: ADDED }, []],
    ["a check that the platform does not show", { healthchecks: TCP }, {}, []],
    ["another check", { healthchecks: TCP }, { healthchecks: { ...TCP, liveness_probe: {} } }, ["spec.healthchecks"]],
    ["a port that got public", { ports: [grpc] }, { ports: [{ ...grpc, publiclyAccessible: true }] }, ["spec.ports"]],
  ])("%s", (_name, change, remote, expected) => {
    expect(differing(change, remote)).toEqual(expected);
  });

  it("that were not sent yet are known only where it is known what was sent", () => {
    const declared = (change: Parameters<typeof specOf>[0]) => declaredSettings(APPLICATION_SETTINGS, specOf(change));
    const unsent = (settings?: Record<string, string>) => unsentPaths(declared({ cpu: 250 }), settings && { settings });
    expect(unsent()).toEqual([]);
    expect(unsent({ ...declared({ cpu: 250 }) })).toEqual([]);
    expect(unsent({ ...declared({ cpu: 500 }) })).toEqual(["spec.cpu"]);
    expect(unsent({ ...declared({}) })).toEqual(["spec.cpu"]);
  });
});
