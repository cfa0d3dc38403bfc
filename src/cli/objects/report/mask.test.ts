import { expect, it } from "vitest";

import { stored } from "../../../../test/support/kube/stored.ts";
import { masked, maskedEnv, maskedText, maskedValue } from "./mask.ts";

const PASSWORD = "correct-horse";

it("a masked object keeps references, states and conditions, and no value that may be secret", () => {
  const fromSecret = { name: "SECRET", valueFrom: { secretKeyRef: { name: "api", key: "password" } } };
  const auth = { scheme: "Token", tokenSecretRef: { name: "token", key: "token" } };
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ value: PASSWORD }),
    "platform-operator.io/record-signature": PASSWORD,
    "platform-operator.io/external-id": "0a1b",
  };
  const spec = {
    gitRepository: { url: `https://me:${PASSWORD}@git.example.com/a.git` },
    variables: [{ name: "PLAIN", value: PASSWORD }, fromSecret],
    managedConfig: { network: { apiKey: { value: 12 } } },
    auth: { ...auth, password: PASSWORD },
  };
  const status = { conditions: [{ type: "Ready", message: `cannot read https://u:${PASSWORD}@host` }] };
  const shown = masked(stored("PlatformApplication", "api", { metadata: { annotations }, spec, status }));
  expect(JSON.stringify(shown)).not.toContain(PASSWORD);
  expect(shown).toMatchObject({
    metadata: { annotations: { "platform-operator.io/external-id": "0a1b" } },
    spec: {
      gitRepository: { url: "https://•••@git.example.com/a.git" },
      variables: [{ name: "PLAIN", value: "•••" }, fromSecret],
      managedConfig: { network: { apiKey: { value: "•••" } } },
      auth: { ...auth, password: "•••" },
    },
    status: { conditions: [{ message: "cannot read https://•••@host" }] },
  });
});

it("a masked webhook keeps the host of its URL and masks the path, which may be secret", () => {
  const spec = { targetUrl: `https://hooks.example.com/services/${PASSWORD}`, enabled: true };
  expect(maskedValue(spec)).toEqual({ targetUrl: "https://hooks.example.com/•••", enabled: true });
  expect(maskedValue({ targetUrl: `no url ${PASSWORD}` })).toEqual({ targetUrl: "•••" });
});

it("a masked blueprint masks the secrets of its overrides in spec and in status", () => {
  const specOverrides = { backend: { secret_key: PASSWORD }, engine_version: "1.9" };
  const settings = { "spec.specOverrides": JSON.stringify(specOverrides), "spec.tag": '"1.0"' };
  const shown = maskedValue({ spec: { specOverrides }, status: { writeLedger: { written: { settings } } } });
  expect(JSON.stringify(shown)).not.toContain(PASSWORD);
  expect(JSON.stringify(shown)).toContain("1.9");
  expect(shown).toMatchObject({ status: { writeLedger: { written: { settings: { "spec.tag": '"1.0"' } } } } });
});

it.each([
  ["Authorization: Bearer abcdefgh12345678", "Authorization: Bearer •••"],
  ["token eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl used", "token ••• used"],
  ["no secret", "no secret"],
])("a masked text of %j is %j", (text, shown) => {
  expect(maskedText(text)).toBe(shown);
});

it("a masked environment keeps only the values of the operator's own variables", () => {
  const env = [
    { name: "PLATFORM_OPERATOR_WORKERS", value: "4" },
    { name: "PROXY", value: PASSWORD },
    { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ];
  expect(maskedEnv({ env })).toEqual([env[0], { name: "PROXY", value: "•••" }, { name: "POD" }]);
  expect(maskedEnv({})).toEqual([]);
});
