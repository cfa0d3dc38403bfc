import { describe, expect, it, vi } from "vitest";

import {
  bindingContext,
  bindingSpec,
  CLUSTER,
  enabled,
  essentials,
  failed,
  fakePlatform,
  fullBinding as full,
  layer,
  template,
} from "../../../test/support/kinds/bindings.ts";
import type { Cluster } from "../../platform/areas/clusters.ts";
import type { Binding, TemplateContext, Template } from "../../platform/areas/templates.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { createBinding } from "./index.ts";

const kind = createBinding();

describe("what is seen", () => {
  interface Fake {
    readonly templates?: readonly Template[] | ApiError;
    readonly clusters?: readonly Partial<Cluster>[] | ApiError;
    readonly binding?: Binding | ApiError;
  }

  function platform(answers: Fake) {
    const given = <T>(answer: T | ApiError | undefined): Promise<T> =>
      answer === undefined || answer instanceof ApiError
        ? Promise.reject(answer ?? new TypeError("was not to be asked"))
        : Promise.resolve(answer);
    const state = { ...answers };
    const list = vi.fn((_context?: TemplateContext) => given(state.templates));
    const api = fakePlatform({
      templates: { list, binding: () => given(state.binding) },
      clusters: { list: () => given(state.clusters as readonly Cluster[] | ApiError | undefined) },
    });
    return { api, contexts: () => list.mock.calls.map(([context]) => context), state };
  }

  const pair = { mode: "CUSTOMER_MANAGED", provider: "GCP" };
  const narrowed = { clusterMode: "CUSTOMER_MANAGED", cloudProvider: "GCP" };
  const cluster = { id: CLUSTER, kubernetes: "SELF_MANAGED", cloudProvider: "GCP" };

  const onAws = { cluster: { ...pair, provider: "AWS" } };
  const seen = (change: Partial<Cluster> = {}) => ({ clusters: [{ ...cluster, ...change }], binding: full([]) });
  const unlisted = { clusters: failed("NotSupported", 405), binding: full([]) };

  it.each<[string, object, "Documented" | "Full", Fake, TemplateContext | undefined]>([
    ["nothing", {}, "Documented", {}, undefined],
    ["the spec's pair", { cluster: pair }, "Documented", {}, narrowed],
    ["the cluster's, on the full surface", {}, "Full", seen(), narrowed],
    ["the spec's pair, on the full surface too", onAws, "Full", seen(), { ...narrowed, cloudProvider: "AWS" }],
    ["nothing for an undocumented provider", {}, "Full", seen({ cloudProvider: "ON_PREMISE" }), undefined],
    ["nothing for a mode that is not known", {}, "Full", seen({ kubernetes: "PARTIALLY_MANAGED" }), undefined],
    ["nothing where the clusters cannot be listed", {}, "Full", unlisted, undefined],
  ])("narrows the templates by %s", async (_name, change, surface, answers, expected) => {
    const { api, contexts } = platform({ templates: [essentials], ...answers });
    const observed = await kind.observe(bindingContext(bindingSpec(change), { surface }), api);
    expect(contexts()).toEqual([expected]);
    expect(observed).toMatchObject({ template: essentials, problems: [], sent: false });
    expect(observed.cluster.listed).toBe(Array.isArray(answers.clusters) ? true : undefined);
  });

  it("finds what does not fit the template and the cluster", async () => {
    const { api } = platform({ templates: [template(layer("gpu", { providers: ["AWS"] }))], ...seen() });
    const context = bindingContext(bindingSpec({ layerSelections: { gpu: true } }), { surface: "Full" });
    const { problems } = await kind.observe(context, api);
    expect(problems).toEqual(["spec.layerSelections[gpu] must not be true: the layer is not available on GCP"]);
  });

  it("shows the binding on the full surface", async () => {
    const context = bindingContext(bindingSpec(), { surface: "Full" });
    const see = async (binding: Binding | ApiError) =>
      (await kind.observe(context, platform({ templates: [], clusters: [cluster], binding }).api)).bound;
    expect(await see(full(enabled))).toEqual(full(enabled));
    expect(await see(failed("NotFound", 404))).toBe("none");
    expect(await see(failed("NotSupported", 405))).toBeUndefined();
    expect(await see(failed("Server", 503))).toBeUndefined();
  });

  it("does not ask for the binding of a cluster that is not the organization's", async () => {
    const { api } = platform({ templates: [essentials], clusters: [] });
    const observed = await kind.observe(bindingContext(bindingSpec(), { surface: "Full" }), api);
    expect(observed).toMatchObject({ cluster: { listed: false }, bound: undefined });
  });

  it("finds key and version together", async () => {
    const older = { ...essentials, version: "1.1.0" };
    const context = bindingContext();
    const observed = await kind.observe(context, platform({ templates: [older, { ...essentials, key: "other" }] }).api);
    expect(observed.template).toBeUndefined();
    const text =
      /^The platform does not list version "1\.2\.0" of template "essentials" as published .* It lists 1\.1\.0\.$/;
    const why = { reason: "TemplateNotAvailable", message: expect.stringMatching(text) };
    expect(kind.plan(context, observed)).toEqual({ is: "stalled", why });
  });

  it.each([500, 503])(
    "uses the last good list when the catalog answers %i, and throws every other failure",
    async (status) => {
      const { api, state } = platform({ templates: failed("Server", status) });
      const own = createBinding();
      await expect(own.observe(bindingContext(), api)).rejects.toThrow("said");
      state.templates = [essentials];
      await own.observe(bindingContext(), api);
      state.templates = failed("Server", status);
      expect((await own.observe(bindingContext(), api)).template).toEqual(essentials);
      // Other kinds of clusters, and other connections, have lists of their own.
      const { api: other } = platform({ templates: failed("Server", status) });
      await expect(own.observe(bindingContext(bindingSpec({ cluster: pair })), api)).rejects.toThrow("said");
      await expect(own.observe(bindingContext(), other)).rejects.toThrow("said");
      state.templates = failed("Unauthorized", 401);
      await expect(own.observe(bindingContext(), api)).rejects.toThrow("said");
    },
  );
});
