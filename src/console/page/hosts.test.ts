import { describe, expect, it } from "vitest";

import { isOwnHost } from "./server.ts";

describe("[S3] the header Host", () => {
  const loopback = ["localhost", "localhost:8083", "LOCALHOST:8083", "localhost.:8083", "page.localhost"];
  const addresses = ["127.0.0.1:8083", "10.2.3.4:8083", "[::1]:8083", "[fd00::1]"];
  const services = ["status.platform-operator.svc:8083", "status.platform-operator.svc.cluster.local"];

  it.each([...loopback, ...addresses, ...services])("is accepted as one of the page's own names: %s", (host) => {
    expect(isOwnHost(host)).toBe(true);
  });

  const foreign = ["", "127.0.0.1.", "localhost.", "x.svc.", "localhost@"].map((start) => `${start}attacker.example`);
  const broken = [undefined, "", ":8083", "svc", ".svc", "[::1", "[attacker.example]"];

  it.each([...broken, ...foreign])("is rejected as a foreign name: %s", (host) => {
    expect(isOwnHost(host)).toBe(false);
  });
});
