import { expect, it } from "vitest";

import { wayTo } from "./platforms.ts";

it("wayTo() goes through the operator's proxy, except for hosts of --platform-no-proxy and with a proxy of its own", () => {
  const platformProxy = { url: "http://10.0.0.1:3128", credentials: "user:s3cret-word" };
  const allowed = { allowedPlatformHosts: [], allowInsecurePlatform: false };
  const rules = { ...allowed, platformProxy, platformNoProxy: ["example.org"] };
  const none = () => ({});
  const way = wayTo({ baseUrl: "https://api.example.com" }, rules, none);
  expect(way.proxy).toEqual({ url: "http://10.0.0.1:3128", from: "--platform-proxy", isTrusted: true });
  expect(way.network()).toEqual({ proxyCredentials: "user:s3cret-word" });
  expect(wayTo({ baseUrl: "https://api.example.org" }, rules, none)).toEqual({ network: none });
  const proxy = { url: "http://own:3128", secretName: undefined };
  expect(wayTo({ baseUrl: "https://api.example.org", proxy }, rules, none)).toEqual({
    proxy: { url: "http://own:3128", from: "spec.proxy", isTrusted: false },
    network: none,
  });
});
