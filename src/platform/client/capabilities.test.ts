import { describe, expect, it } from "vitest";

import { ApiError, type ApiFailure } from "../transport/errors.ts";
import { createCapabilities } from "./capabilities.ts";

const HOUR = 3_600_000;

function learning(surface: "Auto" | "Documented" | "Full" = "Auto") {
  let time = 0;
  const capabilities = createCapabilities(surface, { monotonic: () => time });
  const failed = (name: Parameters<typeof capabilities.failed>[0], is: ApiFailure["is"], status: number): void => {
    capabilities.failed(name, new ApiError(name, { is } as ApiFailure, status, "said"));
  };
  const skip = (ms: number): void => {
    time += ms;
  };
  return { ...capabilities, failed, skip };
}

describe("what a platform offers", () => {
  it("is not known before it has answered, but for the specification", () => {
    const platform = learning();
    expect(platform.supports("listProjects")).toBe("Supported");
    expect(platform.supports("updateApplication")).toBe("Unknown");
    expect(platform.summary()).toBeUndefined();
  });

  it("is supported for good after a success", () => {
    const platform = learning();
    platform.succeeded("updateApplication");
    platform.failed("updateApplication", "NotSupported", 405);
    platform.missing("updateApplication");
    expect(platform.supports("updateApplication")).toBe("Supported");
  });

  it.each([405, 501])("lacks what answers %i, and is asked again after an hour", (status) => {
    const platform = learning();
    platform.failed("updateApplication", status === 405 ? "NotSupported" : "OutcomeUnknown", status);
    expect(platform.supports("updateApplication")).toBe("Unsupported");
    platform.skip(HOUR - 1);
    expect(platform.supports("updateApplication")).toBe("Unsupported");
    platform.skip(1);
    expect(platform.supports("updateApplication")).toBe("Unknown");
    // The learned support does not change with time.
    expect(platform.learned("updateApplication")).toBe("Unsupported");
    expect(platform.known().unsupported).toEqual(["updateApplication"]);
  });

  it.each([404, 405, 501])("never lacks an operation of the specification (%i)", (status) => {
    const platform = learning();
    platform.failed("getApplicationStatus", "NotSupported", status);
    platform.missing("getApplicationStatus");
    expect(platform.supports("getApplicationStatus")).toBe("Supported");
    expect(platform.known()).toEqual({ supported: [], unsupported: [] });
  });

  it("is not known by a 404 alone, and the read is left alone for an hour", () => {
    const platform = learning();
    platform.failed("listApplications", "NotFound", 404);
    expect(platform.supports("listApplications")).toBe("Unknown");
    expect(platform.isWorthTrying("listApplications")).toBe(false);
    platform.skip(HOUR);
    expect(platform.isWorthTrying("listApplications")).toBe(true);
    platform.missing("listApplications");
    expect(platform.supports("listApplications")).toBe("Unsupported");
  });

  it.each(["Forbidden", "Unauthorized", "Server", "BadResponse"] as const)("is asked ever less after %s", (is) => {
    const platform = learning();
    let [tries, doubts] = [0, 0];
    for (let ms = 0; ms < 24 * HOUR; ms += 15_000) {
      if (platform.isWorthTrying("getProject")) {
        tries += 1;
        platform.failed("getProject", is, is === "Server" ? 503 : 403);
        if (platform.isDoubtful("getProject")) doubts += 1;
      }
      platform.skip(15_000);
    }
    expect(tries).toBeLessThan(40);
    // Only the first answer, and only one that says nothing of the operation, leaves it in doubt.
    expect(doubts).toBe(is === "Server" ? 1 : 0);
    expect(platform.summary()).toBeUndefined();
  });

  it("is read again once it was written", () => {
    const platform = learning();
    platform.failed("getBinding", "NotFound", 404);
    platform.succeeded("putBinding");
    expect(platform.isWorthTrying("getBinding")).toBe(true);
  });

  it("is summed up, and remembered", () => {
    const platform = learning();
    platform.failed("getProject", "NotSupported", 405);
    expect(platform.summary()).toBe("Documented");
    platform.succeeded("listApplications");
    expect(platform.summary()).toBe("Partial");
    const later = learning();
    later.restore(platform.known());
    expect(later.summary()).toBe("Partial");
    expect(["getProject", "listApplications"].map(later.supports)).toEqual(["Unsupported", "Supported"]);
    const full = learning();
    full.succeeded("listApplications");
    expect(full.summary()).toBe("Full");
  });

  it("is what the user says", () => {
    const documented = learning("Documented");
    documented.succeeded("updateApplication");
    expect([documented.supports("updateApplication"), documented.summary()]).toEqual(["Unsupported", "Documented"]);
    const full = learning("Full");
    full.failed("updateApplication", "NotSupported", 405);
    expect([full.supports("updateApplication"), full.summary()]).toEqual(["Supported", "Full"]);
  });
});
