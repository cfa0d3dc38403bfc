import { describe, expect, it } from "vitest";

import { isOwnHost } from "./server.ts";

describe("[S3] the header Host", () => {
  it.each([
    "localhost",
    "localhost:8083",
    "LOCALHOST:8083",
    "localhost.:8083",
    "page.localhost",
    "127.0.0.1:8083",
    "10.2.3.4:8083",
    "[::1]:8083",
    "[fd00::1]",
    "platform-operator-status.platform-operator.svc:8083",
    "platform-operator-status.platform-operator.svc.cluster.local",
  ])("may be %s", (host) => {
    expect(isOwnHost(host)).toBe(true);
  });

  it.each([
    undefined,
    "",
    ":8083",
    "attacker.example",
    "127.0.0.1.attacker.example",
    "localhost.attacker.example",
    "x.svc.attacker.example",
    "svc",
    ".svc",
    "localhost@attacker.example",
    "[::1",
    "[attacker.example]",
  ])("may not be %s", (host) => {
    expect(isOwnHost(host)).toBe(false);
  });
});
