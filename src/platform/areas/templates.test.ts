import { describe, expect, it } from "vitest";

import { startHarness } from "../../../test/support/platform/client.ts";
import { ID, itRefuses, itSends, LONE_SURROGATE, ORGANIZATION } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import type { BindingInput, TemplateContext } from "./templates.ts";

const list = `GET /organization/${ORGANIZATION}/platformTemplate`;
const templatesOf = (context: TemplateContext) => (platform: Platform) =>
  platform.templates.list(context, { maxAgeMs: 10_000 });
const clusterMode = "X";
const TOGETHER = "clusterMode and cloudProvider go together";
const put = `PUT /organization/${ORGANIZATION}/cluster/${ID}/platformBinding`;
const input = { templateKey: "base", templateVersion: "1.0.0" };
const bind = (change: Partial<BindingInput>) => (platform: Platform) =>
  platform.templates.bind(ID, { ...input, ...change });

describe("the request for templates", () => {
  itSends(
    ["all", ({ templates }) => templates.list(), list],
    ["of a cluster", templatesOf({ clusterMode, cloudProvider: "AWS" }), `${list}?clusterMode=X&cloudProvider=AWS`],
  );

  itRefuses(
    ["a mode alone", templatesOf({ clusterMode }), TOGETHER],
    ["a provider alone", templatesOf({ cloudProvider: "AWS", clusterMode: undefined }), TOGETHER],
    ["a blank provider", templatesOf({ cloudProvider: "", clusterMode }), "cloudProvider: blank"],
  );
});

const LAYER = { key: "a", status: "ENABLED" };

describe("the request for a binding", () => {
  const chosen = { layerSelections: { logs: true, "per-node": false }, customerProvidedInputs: { db: { size: "1" } } };

  itSends(
    ["of a template alone", bind({ layerSelections: undefined }), put, input],
    [
      "of everything, with every digit of an int64 and without the list of secrets",
      bind({
        ...chosen,
        managedConfig: { c: { n: 2n ** 63n - 1n, f: 0.5, text: "", on: true, gone: undefined as unknown as string } },
        secrets: ["1"],
      }),
      put,
      { ...input, ...chosen, managedConfig: { c: { n: 9223372036854775807n, f: 0.5, text: "", on: true } } },
    ],
  );

  it("sends keys that name members of prototypes as plain keys", async () => {
    const { server, connect } = await startHarness();
    const managedConfig = JSON.parse(`{"__proto__":{"constructor":1}}`);
    await connect().templates.bind(ID, { ...input, managedConfig });
    expect(server.arrived[0]?.body).toBe(
      `{"templateKey":"base","templateVersion":"1.0.0","managedConfig":{"__proto__":{"constructor":1}}}`,
    );
  });

  it.each([
    ["items of another shape apart", [LAYER, null, { key: "b" }, 7], [LAYER]],
    ["none at all", undefined, undefined],
    ["no list", "ENABLED", undefined],
  ])("returns the layers of the answer, %s", async (_name, layers, expected) => {
    const { connect } = await startHarness({ body: { clusterId: ID, ...input, layers } });
    expect((await connect().templates.bind(ID, input))?.layers).toEqual(expected);
  });

  itRefuses(
    ["no key, version", bind({ templateKey: "", templateVersion: "" }), "templateKey: blank; templateVersion: blank"],
    [
      "a number that is none",
      bind({ managedConfig: { ingress: { replicas: Infinity } } }),
      "managedConfig.ingress.replicas: neither a text nor a finite number nor a boolean",
    ],
    [
      "half a character in a value",
      bind({ customerProvidedInputs: { db: { password: `hunter22${LONE_SURROGATE}` } } }),
      "customerProvidedInputs.db.password: not well-formed Unicode",
    ],
    [
      "half a character in a key, which is not shown either",
      bind({ layerSelections: { [`logs${LONE_SURROGATE}`]: true } }),
      "layerSelections.logs : not well-formed Unicode",
    ],
    ...Object.entries({ null: null, "a list": [], "a text": "x", "a map": new Map() }).map(
      ([what, wrong]) => [what, bind({ managedConfig: wrong as never }), "managedConfig: not an object"] as const,
    ),
  );
});
