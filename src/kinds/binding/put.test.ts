import { describe, expect, it } from "vitest";

import {
  bindingContext,
  bindingSpec,
  CLUSTER,
  component,
  enabled,
  fakePlatform,
  field,
  fullBinding as full,
  layer,
  observedBinding,
  starting,
  template,
} from "../../../test/support/kinds/bindings.ts";
import type { Binding, BindingInput } from "../../platform/areas/templates.ts";
import { createBinding } from "./index.ts";

const kind = createBinding();

describe("the write", () => {
  const shape = template(
    layer("base", {
      mandatory: true,
      components: [
        component(
          "c",
          field("text"),
          field("count", { type: "number" }),
          field("flag", { type: "bool" }),
          field("token", { sensitive: true }),
        ),
      ],
    }),
  );
  const spec = bindingSpec({
    layerSelections: { base: true },
    managedConfig: {
      c: {
        text: { value: "a" },
        count: { value: "9007199254740993" },
        flag: { valueFrom: { configMapKeyRef: { name: "m", key: "k" } } },
        token: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      },
    },
    customerProvidedInputs: {
      c: { contact: { value: "5" }, pin: { valueFrom: { secretKeyRef: { name: "s", key: "p" } } } },
    },
  });
  const values = {
    "spec.managedConfig[c][flag]": "true",
    "spec.managedConfig[c][token]": "s3cret-1",
    "spec.customerProvidedInputs[c][pin]": "s3cret-2",
  };

  async function act(surface: "Documented" | "Full", answer: Binding | undefined) {
    const sent: { clusterId: string; input: BindingInput }[] = [];
    const api = fakePlatform({
      templates: {
        bind: (clusterId, input) => {
          sent.push({ clusterId, input });
          return Promise.resolve(answer);
        },
      },
    });
    const context = bindingContext(spec, { surface }, values);
    const step = { repeat: "safe", op: "putBinding", action: "put" } as const;
    const known = await kind.act(step, context, observedBinding({ template: shape }), api);
    return { context, known, sent };
  }

  it("sends every value in its field's type, and marks the secret ones", async () => {
    const { sent } = await act("Documented", full(enabled));
    expect(sent).toEqual([
      {
        clusterId: CLUSTER,
        input: {
          templateKey: "essentials",
          templateVersion: "1.2.0",
          layerSelections: { base: true },
          managedConfig: { c: { text: "a", count: 9_007_199_254_740_993n, flag: true, token: "s3cret-1" } },
          customerProvidedInputs: { c: { contact: "5", pin: "s3cret-2" } },
          secrets: ["s3cret-1", "s3cret-2"],
        },
      },
    ]);
  });

  it("remembers what was written and what was answered", async () => {
    const { context, known } = await act("Documented", full(enabled));
    expect(known.memory).toEqual({
      templateKey: "essentials",
      templateVersion: "1.2.0",
      layers: enabled,
      written: context.inputs.fingerprint,
    });
    expect(known.observed).toMatchObject({ sent: true, bound: undefined });
    expect(kind.plan({ ...context, memory: known.memory }, known.observed)).toEqual({ is: "settled" });
  });

  it("uses the answer as the observed binding on the full surface", async () => {
    const { context, known } = await act("Full", full(starting));
    expect(known.observed.bound).toEqual(full(starting));
    expect(kind.plan({ ...context, memory: known.memory }, known.observed)).toMatchObject({ is: "waiting" });
  });

  it("is not repeated for an input that the platform masks, unless it shows another value or the user asks", async () => {
    const shown = (contact: string) => ({ ...full(enabled), customerProvidedInputs: { c: { contact } } });
    const { context, known } = await act("Full", shown("***"));
    const later = { ...context, memory: known.memory };
    const observed = (contact: string) => ({ ...known.observed, bound: shown(contact), sent: false });
    expect(kind.plan(later, observed("***"))).toEqual({ is: "settled" });
    expect(kind.report(later, observed("***"))).toMatchObject({
      status: { altered: known.memory.altered },
      drift: [{ path: "spec.customerProvidedInputs[c][contact]", observed: "another value" }],
    });
    expect(kind.plan(later, observed("6"))).toMatchObject({ is: "step", step: { corrects: true } });
    expect(kind.plan({ ...later, requested: "now" }, observed("***"))).toMatchObject({ is: "step" });
    expect(kind.report(later, observed("5")).status).toHaveProperty("altered", undefined);
  });

  it("works without an answer", async () => {
    const { context, known } = await act("Documented", undefined);
    expect(known.memory.layers).toBeUndefined();
    expect(kind.report({ ...context, memory: known.memory }, known.observed).conditions).toContainEqual(
      expect.objectContaining({ type: "LayersReady", status: "Unknown", reason: "NotObservable" }),
    );
  });
});
