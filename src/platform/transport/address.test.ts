import { describe, expect, it } from "vitest";

import { addressFilter, checkedBase, bypassesProxy, checkProxy } from "./address.ts";
import { ApiError } from "./errors.ts";

const strict = { allowedHosts: [], allowInsecure: false };

describe("[E8] checkedBase", () => {
  const noHttps = ["http://platform.example", "ftp://platform.example", "file:///etc/passwd", "platform.example", ""];
  const noOrigin = [
    "user:secret@platform.example",
    "platform.example/api",
    "platform.example?x=1",
    "platform.example#x",
  ];
  const loopback = ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "0.0.0.0", "[::1]", "[::]"];
  const notPublic = ["169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1"];
  const notPublicV6 = ["[fe80::1]", "[fd00::1]", "[ff02::1]"];
  const embedded = ["[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::a9fe:a9fe]"];
  const hosts = ["", ...noOrigin, ...loopback, ...notPublic, ...notPublicV6, ...embedded];

  it.each([...noHttps, ...hosts.map((host) => `https://${host}`)])("refuses %s", (baseUrl) => {
    const refused = refusal(() => checkedBase(baseUrl, "", strict));
    expect(refused).toMatchObject({ operation: "connect", failure: { is: "Refused" } });
  });

  it("does not quote the base URL that it refuses", () => {
    const refused = refusal(() => checkedBase("https://user:s3cret@platform.example", "", strict));
    expect(refused?.message).not.toContain("s3cret");
  });

  it.each([
    ["https://platform.example", "", "https://platform.example"],
    ["https://Platform.Example:8443/", "/api/v1", "https://platform.example:8443/api/v1"],
    ["https://93.184.216.34", "", "https://93.184.216.34"],
    ["https://[2606:4700::1111]", "/v2.1", "https://[2606:4700::1111]/v2.1"],
  ])("accepts %s with the prefix %j", (baseUrl, prefix, expected) => {
    expect(checkedBase(baseUrl, prefix, strict)).toBe(expected);
  });

  it.each(["api", "/", "/api/", "/..", "/api/../x", "/./x", "//x", "/a?b", "/a#b", "/%2e%2e", "/a b", "/\u00e4"])(
    "refuses the prefix %j",
    (prefix) => {
      expect(refusal(() => checkedBase("https://platform.example", prefix, strict))).toBeInstanceOf(ApiError);
    },
  );

  it.each([
    ["https://api.example.com", ["api.example.com"], true],
    ["https://api.example.com", ["API.example.com"], true],
    ["https://api.example.com.", ["api.example.com"], true],
    ["https://api.example.com:8443", ["api.example.com"], true],
    ["https://api.example.com:8443", ["api.example.com:8443"], true],
    ["https://api.example.com:9443", ["api.example.com:8443"], false],
    ["https://api.example.com", ["*.example.com"], true],
    ["https://api.example.com", ["api.example.com:443"], true],
    ["https://api.example.com:8443", ["*.example.com"], true],
    ["https://api.example.com:8443", ["*.example.com:8443"], true],
    ["https://api.example.com:9443", ["*.example.com:8443"], false],
    ["https://api.example.com", ["*.example.com:443"], true],
    ["https://example.com", ["*.example.com"], false],
    ["https://evilexample.com", ["*.example.com"], false],
    ["https://api.example.com.evil.com", ["api.example.com"], false],
    ["https://10.1.2.3", ["10.1.0.0/16"], true],
    ["https://10.2.2.3", ["10.1.0.0/16"], false],
    ["https://93.184.216.34", ["10.1.0.0/16"], false],
    ["https://10.1.2.3", ["10.1.2.3"], true],
  ])("with the base URL %s and the allowed hosts %j: %s", (baseUrl, allowedHosts, allowed) => {
    const refused = refusal(() => checkedBase(baseUrl, "", { ...strict, allowedHosts }));
    expect(refused === undefined).toBe(allowed);
  });

  it("accepts http and loopback with the flags of the demo", () => {
    const demo = { allowedHosts: ["127.0.0.1"], allowInsecure: true };
    expect(checkedBase("http://127.0.0.1:8080", "/api/v1", demo)).toBe("http://127.0.0.1:8080/api/v1");
    expect(() => checkedBase("http://localhost", "", demo)).toThrow(ApiError);
  });
});

describe("[E8] addressFilter", () => {
  it.each([
    // The registry of IPv4, and an address that is in none.
    ...["0.0.0.1", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.255.255", "192.0.0.192"],
    ...["192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.10", "224.0.0.1"],
    ...["240.0.0.1", "255.255.255.255", "168.63.129.16"],
    // The registry of IPv6, and what lies beyond the global unicast space.
    ...["::", "::1", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1"],
    ...["3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1"],
    // Each form in which an IPv6 address holds an IPv4 address.
    ...["::127.0.0.1", "::ffff:10.0.0.5", "::ffff:0:10.0.0.5", "64:ff9b::10.0.0.5", "64:ff9b::a83f:8110"],
    ...["2002:a00:5::1", "2001:0:a00:5::a247:27dd", "2001:0:5db8:d822::f5ff:fffa"],
  ])("refuses %s, which is not public", (address) => {
    expect(addressFilter(strict)(address)).toBe(false);
  });

  it.each([
    ...[
      "93.184.216.34",
      "168.63.129.15",
      "172.32.0.1",
      "192.0.1.1",
      "198.20.0.1",
      "223.255.255.255",
      "2606:4700::1111",
    ],
    ...["2001:200::1", "2a00:1450::1", "3ffe::1", "2620:4f:8000::1"],
    // 93.184.216.34 in each form, that of Teredo with this server and this client.
    ...["::93.184.216.34", "::ffff:93.184.216.34", "::ffff:0:93.184.216.34", "64:ff9b::5db8:d822"],
    ...["2002:5db8:d822::1", "2001:0:5db8:d822::a247:27dd"],
  ])("accepts %s, which is public", (address) => {
    expect(addressFilter(strict)(address)).toBe(true);
  });

  it.each([
    ["10.0.0.5", ["10.0.0.0/24", "platform.corp"], true],
    ["10.0.1.5", ["10.0.0.0/24"], false],
    ["127.0.0.1", ["platform.corp"], false],
    ["64:ff9b::a00:5", ["10.0.0.0/24"], true],
    ["64:ff9b::a00:105", ["10.0.0.0/24"], false],
    ["64:ff9b::a00:5", ["64:ff9b::/96"], true],
    ["fd00::5", ["fd00::/64"], true],
  ])("judges %s with the allowed hosts %j: %s", (address, allowedHosts, allowed) => {
    expect(addressFilter({ ...strict, allowedHosts })(address)).toBe(allowed);
  });
});

function refusal(run: () => unknown): ApiError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as ApiError;
  }
}

it.each<[string, readonly string[], boolean]>([
  ["https://api.example.com", ["example.com"], true],
  ["https://api.example.com", [".example.com"], true],
  ["https://api.example.com", ["*.example.com"], true],
  ["https://api.example.com", ["api.example.com:443"], true],
  ["https://api.example.com:8443", ["api.example.com:443"], false],
  ["https://badexample.com", ["example.com"], false],
  ["https://10.1.2.3", ["10.0.0.0/8"], true],
  ["https://11.1.2.3", ["10.0.0.0/8"], false],
  ["https://api.example.com", ["*"], true],
  ["https://api.example.com", [], false],
])("bypassesProxy(%s) with the hosts of NO_PROXY %j: %s", (url, noProxy, expected) => {
  expect(bypassesProxy(url, noProxy)).toBe(expected);
});

it.each([
  ["http://proxy.example.com:3128", [], undefined],
  ["http://10.0.0.1:6443", [], "the proxy is not a public address"],
  ["http://10.0.0.1:3128", ["10.0.0.1/32"], undefined],
  ["http://a.example", ["b.example"], "the proxy is not in the operator's list of allowed platform hosts"],
])("[E8] checkProxy judges a proxy like a platform: %s with %j", (url, allowedHosts, message) => {
  expect(refusal(() => checkProxy(url, { ...strict, allowedHosts }))?.message).toBe(message);
});
