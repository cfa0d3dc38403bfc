import { describe, expect, it } from "vitest";

import { type ContextChange, contextWith } from "../../../test/support/kinds/contexts.ts";
import { kindEnv, type SurfaceName } from "../../../test/support/kinds/env.ts";
import type { Fingerprint, OpenIntent, ReconcileContext, Plan, ReceiverInputs } from "../../engine/contract/kind.ts";
import { platformConnection, type ConnectionMemory } from "./crd.ts";
import { registration, type RegistrationTypes } from "./registration.ts";

type RegistrationContext = ReconcileContext<RegistrationTypes>;

const KIND = registration(platformConnection);
const PATH = "f".repeat(64);
const print = (digest: string): Fingerprint => ({ key: "k", digest, sources: "s" });
const [url, secret] = [`https://hooks.example.com/${PATH}`, "e".repeat(64)];
const connection = { kind: "PlatformConnection", namespace: "shop", name: "default" };
const inputs: ReceiverInputs = { url, secret, registered: print("first"), answer: undefined, connection };
const moved = { ...inputs, url: `https://hooks.example.com/${"a".repeat(64)}`, registered: print("second") };

/** A platform for the tests of one `describe`. */
const registrationEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    () => ({}),
    (env) => {
      const contextOf = (change: ContextChange<RegistrationContext> = {}): RegistrationContext => {
        const { organizationId } = env.harness.simulator;
        const auth = { tokenSecretRef: { name: "token" } };
        const spec = platformConnection.spec.parse({ baseUrl: "https://platform.example.com", organizationId, auth });
        const usual = { name: "default", spec, inputs, surface, adoption: "Never" } as const;
        return contextWith<RegistrationContext>(usual, change);
      };
      /** Plans and acts until there is no step. @returns what was sent, how it ended, and the memory */
      const run = async (change: ContextChange<RegistrationContext> = {}) => {
        const { api } = env.harness;
        const ops: string[] = [];
        let context = contextOf(change);
        let observed = await KIND.observe(context, api);
        let plan: Plan = KIND.plan(context, observed);
        for (; plan.is === "step" && ops.length < 4; plan = KIND.plan(context, observed)) {
          ops.push(plan.step.op);
          const known = await KIND.act(plan.step as never, context, observed, api);
          ({ observed } = known);
          const { memory, id = context.id } = known;
          const identitySource = id === undefined ? undefined : "recorded";
          context = contextOf({ ...change, memory, id, identitySource });
        }
        const { webhook } = KIND.report(context, observed).status as { readonly webhook?: ConnectionMemory["webhook"] };
        const reason = plan.is === "stalled" || plan.is === "waiting" ? plan.why.reason : plan.is;
        return { ops, reason, memory: { webhook }, id: context.id };
      };
      return { contextOf, run };
    },
  );

describe.each<SurfaceName>(["Documented", "Full"])("the registration of the receiver on the surface %s", (surface) => {
  const env = registrationEnv(surface);
  const { contextOf, run } = env;
  const isFull = surface === "Full";

  it("requests the events that the surface knows, and is found again by the memory", async () => {
    const { ops, reason, memory } = await run();
    expect([ops, reason]).toEqual([["createWebhook"], "settled"]);
    const more = {
      events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL", "DEPLOYMENT_FAILURE", "DEPLOYMENT_CANCELLED"],
      kind: "STANDARD",
      target_secret: "***",
    };
    const events = ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"];
    const body = { target_url: inputs.url, enabled: true, events, ...(isFull && more) };
    expect(env.harness.writes()).toEqual([["createWebhook", body]]);
    expect(memory.webhook).toMatchObject({ registered: inputs.registered, hasSecret: isFull });
    expect(await run({ memory })).toMatchObject({ ops: [], reason: "settled", memory });
  });

  it("is found again by a record that the status does not have", async () => {
    const { id } = await run();
    const again = await run({ id, identitySource: "recorded" });
    // Nothing says that the platform has the secret, so it is sent where it can be.
    const ops = isFull ? ["updateWebhook"] : [];
    expect(again).toMatchObject({ ops, reason: "settled", memory: { webhook: { id } } });
    // The record of a registration that was repeated is newer than the status.
    const old = { webhook: { id: "00000000-0000-4000-8000-00000000dead", registered: print("old") } };
    expect(await run({ id, identitySource: "recorded", memory: old })).toMatchObject({ memory: { webhook: { id } } });
  });

  it("accepts an annotation only if its webhook has the receiver as target", async () => {
    const { id } = await run();
    const claimed = await run({ id, identitySource: "claimed" });
    expect(claimed).toMatchObject({ ops: [], reason: isFull ? "adopt" : "NotObservable" });
    expect(await run({ id, identitySource: "claimed", inputs: moved })).toMatchObject({ reason: "NotObservable" });
  });

  it("follows another address where it can be changed", async () => {
    const { memory } = await run();
    const change = await run({ memory, inputs: moved });
    expect([change.ops, change.reason]).toEqual(isFull ? [["updateWebhook"], "settled"] : [[], "UpdateNotSupported"]);
    expect(change.memory.webhook?.registered).toEqual(isFull ? moved.registered : inputs.registered);
    const later = await run({ memory: change.memory, inputs: isFull ? moved : inputs });
    expect(later).toMatchObject({ ops: [], reason: "settled" });
  });

  it("is repeated only on a person's request, once in a reconcile", async () => {
    const { memory } = await run();
    const again = await run({ memory, inputs: { ...inputs, answer: `recreate:${memory.webhook?.id}` } });
    expect([again.ops, again.reason]).toEqual([["createWebhook"], "settled"]);
    expect(again.memory.webhook?.id).not.toBe(memory.webhook?.id);
  });

  it("uses http only where the platform itself is reached by http", async () => {
    const plain = { ...inputs, url: `http://hooks.example.com/${PATH}` };
    expect(await run({ inputs: plain })).toMatchObject({ ops: [], reason: "InvalidSpec" });
    const spec = { ...contextOf().spec, baseUrl: "http://127.0.0.1:8080" };
    expect(await run({ inputs: plain, spec })).toMatchObject({ ops: ["createWebhook"], reason: "settled" });
  });

  it("[E12] cannot be traced, and gives advice without the secret path", async () => {
    const traced = await KIND.trace({ op: "createWebhook", creates: true } as OpenIntent, contextOf(), env.harness.api);
    expect(traced).toMatchObject({ is: "unknowable", why: { reason: "CreateResultUnknown" } });
    const said = JSON.stringify(traced);
    expect(said).toContain("https://hooks.example.com/…");
    expect(said).not.toContain(PATH);
  });
});

describe("a registration that the platform shows", () => {
  const env = registrationEnv("Full");
  const { run } = env;

  it("is corrected where others changed it, and not registered again where they deleted it", async () => {
    const { memory } = await run();
    env.harness.edit(memory.webhook?.id, { enabled: false, events: ["DEPLOYMENT_STARTED"] });
    expect(await run({ memory })).toMatchObject({ ops: ["updateWebhook"], reason: "settled" });
    env.harness.remove(memory.webhook?.id);
    expect(await run({ memory })).toMatchObject({ ops: [], reason: "ExternalResourceDeleted" });
  });

  it("is brought up to the surface once that is known", async () => {
    const { memory } = await run({ surface: "Documented" });
    expect(memory.webhook).toMatchObject({ hasSecret: false });
    env.harness.writes();
    const later = await run({ memory });
    expect(later).toMatchObject({
      ops: ["updateWebhook"],
      reason: "settled",
      memory: { webhook: { hasSecret: true } },
    });
    expect(env.harness.writes()).toMatchObject([["updateWebhook", { target_secret: "***", enabled: true }]]);
  });
});
