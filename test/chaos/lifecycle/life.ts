/**
 * The life of a small platform, from the first `kubectl apply` to the last `kubectl delete`: what a crash is put into,
 * call by call.
 */
import type { Surface } from "../../../simulator/base/operations.ts";
import { RECONCILE_REQUESTED_AT as REQUESTED_AT, RESOLVE } from "../../../src/api/names.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { comes as becomes, condition, type Manifest } from "../../support/env/cluster.ts";
import {
  application,
  blueprint,
  connection,
  database,
  environment,
  NEXT_COMMIT,
  operation,
  project,
  resource,
  secret,
} from "../../support/kube/manifests.ts";
import type { ChaosEnv } from "../env.ts";

/** One step of the life: what a user does, and what has to come of it. */
export interface Chapter {
  readonly name: string;
  /** The only surface that has it. */
  readonly only?: Surface;
  act(env: ChaosEnv): Promise<void>;
  /** Waits for what the chapter leads to; on the way does what a user is told to. */
  over(env: ChaosEnv): Promise<void>;
}

/** What lives, parents first. */
export const MEMBERS = [
  ["PlatformConnection", "default"],
  ["PlatformProject", "shop"],
  ["PlatformEnvironment", "staging"],
  ["PlatformApplication", "api"],
  ["PlatformDatabase", "orders"],
  ["PlatformBlueprint", "cache"],
  ["PlatformVariableSet", "settings"],
  ["PlatformBinding", "addons"],
  ["PlatformWebhook", "hook"],
] as const;
const [CONNECTION] = MEMBERS;
const LIVING = MEMBERS.slice(1).toReversed();
const OPERATION = ["PlatformOperation", "redeploy"] as const;

/** What is in the Secret that variables come from, first and later. */
export const [FIRST, SECOND] = ["first-s3cret", "second-s3cret"] as const;

/** A surface that cannot take something away lets it go, and says so. */
const gone = { lifecycle: { deletionPolicy: "Delete" } } as const;

export const CHAPTERS: readonly Chapter[] = [
  {
    name: "create",
    act: async (env) => env.apply(...manifests(env)),
    over: async (env) => {
      for (const [kind, name] of MEMBERS) await comes(env, kind, name, isReady);
    },
  },
  {
    name: "change",
    act: async (env) => {
      // An import does not replace a secret, and the documented surface has nothing else.
      if (env.platform.sim.settings.surface === "full") await env.apply(secret("values", { TOKEN: SECOND }));
      await env.patch("PlatformVariableSet", "settings", { spec: { variables: shared("two") } });
      await env.patch("PlatformBinding", "addons", { spec: { layerSelections: { observability: false } } });
      await env.patch("PlatformApplication", "api", {
        spec: { deploy: { gitCommitId: NEXT_COMMIT }, variables: own("two") },
      });
    },
    over: async (env) => {
      await comes(env, "PlatformVariableSet", "settings", isReady);
      await comes(env, "PlatformBinding", "addons", isReady);
      // What is read of a Secret is believed for a while.
      if (env.platform.sim.settings.surface === "full") await becomes(() => holdsSecrets(env, SECOND), PATIENCE_MS);
      await comes(env, "PlatformApplication", "api", (object) => isReady(object) && commitOf(object) === NEXT_COMMIT);
    },
  },
  {
    name: "stop",
    act: async (env) => {
      await env.patch("PlatformDatabase", "orders", { spec: { runState: "Stopped" } });
      const applicationRef = { name: "api" };
      await env.apply(operation(OPERATION[1], { type: "DeployApplication", applicationRef, gitCommitId: NEXT_COMMIT }));
    },
    over: async (env) => {
      await comes(env, "PlatformDatabase", "orders", isReady);
      await comes(env, ...OPERATION, isReady);
      await comes(env, "PlatformApplication", "api", isReady);
    },
  },
  {
    name: "pause",
    only: "full",
    act: (env) => env.patch("PlatformApplication", "api", { spec: { runState: "Stopped" } }),
    over: (env) => comes(env, "PlatformApplication", "api", isReady),
  },
  {
    name: "delete",
    act: async (env) => {
      // A life that was cut short has no operation.
      if ((await env.find(...OPERATION)) !== undefined) await env.remove(...OPERATION);
      for (const [kind, name] of LIVING) await env.remove(kind, name);
    },
    over: async (env) => {
      for (const [kind, name] of [OPERATION, ...LIVING]) await env.waitGone(kind, name, PATIENCE_MS);
      // The others need it to the last.
      if ((await env.find(...CONNECTION)) !== undefined) await env.remove(...CONNECTION);
      await env.waitGone(...CONNECTION, PATIENCE_MS);
    },
  },
];

const PATIENCE_MS = 60_000;

function manifests(env: ChaosEnv): readonly Manifest[] {
  const target = { applicationRef: { name: "api" } };
  const template = { key: "kubernetes-essentials", version: "1.2.0" };
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  return [
    secret("default", { token: env.platform.tokens.admin }),
    secret("values", { TOKEN: FIRST }),
    // Where nothing shows what a service belongs to, the id that answers a question has to be believed.
    connection(env, "default", { allowUnverifiedIds: env.platform.sim.settings.surface === "documented" }),
    project("shop", gone),
    environment(env, "staging", "shop", gone),
    application("api", "staging", { variables: own("one"), ...gone }),
    database("orders", "staging", gone),
    blueprint("cache", "staging"),
    resource("PlatformVariableSet", "settings", { targets: [target], variables: shared("one"), ...gone }),
    resource("PlatformBinding", "addons", {
      clusterRef,
      template,
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
      ...gone,
    }),
    resource("PlatformWebhook", "hook", {
      targetUrl: "https://hooks.example.com/x",
      events: ["DEPLOYMENT_FAILED"],
      ...gone,
    }),
  ];
}

/** Whether both of the secrets that come from it have that value on the platform; undefined while not. */
function holdsSecrets(env: ChaosEnv, value: string): Promise<true | undefined> {
  const held = [...env.platform.world().variables.values()].filter((one) => one.secret && one.value === value);
  return Promise.resolve(held.length === 2 || undefined);
}

const fromSecret = { valueFrom: { secretKeyRef: { name: "values", key: "TOKEN" } } } as const;

/** The application's own variables. */
function own(mode: string): readonly JsonObject[] {
  return [
    { name: "MODE", value: mode },
    { name: "TOKEN", ...fromSecret },
  ];
}

/** Those of the set. */
function shared(value: string): readonly JsonObject[] {
  return [
    { name: "SHARED", value },
    { name: "SHARED_TOKEN", ...fromSecret },
  ];
}

export const isReady = (object: KubeObject): boolean => {
  const ready = condition(object, "Ready");
  const { generation } = object.metadata;
  return (
    ready?.status === "True" && ready.observedGeneration === generation && member(object.status, "intent") === undefined
  );
};

const commitOf = ({ status }: KubeObject): Json | undefined => member(member(status, "lastDeployment"), "gitCommitId");

/** How often somebody may be asked about one object: about its creation, and about an order to it. */
const QUESTIONS = 3;

/**
 * Waits until an object is as it should be. One that says that nobody can know what became of a request gets the one
 * command that it asks for.
 */
export async function comes(
  env: ChaosEnv,
  kind: string,
  name: string,
  is: (object: KubeObject) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    const found = await env.waitFor(kind, name, (one) => is(one) || questionOf(one) !== undefined, patienceMs);
    const question = questionOf(found);
    if (is(found) || question === undefined) return;
    const action = member(found.spec, "runState") === "Stopped" ? "stop" : "deploy";
    const order = question === "NotObservable" ? action : undefined;
    env.unknowns.push({ kind, name, order });
    if (question === "CreateResultUnknown") await tellResult(env, kind, name);
    else await env.annotate(kind, name, { [REQUESTED_AT]: `again-${asked}` });
    await env.waitFor(kind, name, (one) => questionOf(one) !== question || is(one), patienceMs);
  }
  await env.waitFor(kind, name, is, patienceMs);
}

/** What a person has to say a word about. */
function questionOf(object: KubeObject): string | undefined {
  const stalled = condition(object, "Stalled");
  if (stalled?.status !== "True" || stalled.observedGeneration !== object.metadata.generation) return undefined;
  const { reason } = stalled;
  return reason === "CreateResultUnknown" || reason === "NotObservable" ? reason : undefined;
}

/** The id of what is there, or leave to create it again. */
async function tellResult(env: ChaosEnv, kind: string, name: string): Promise<void> {
  const { services, webhooks } = env.platform.world();
  const made =
    kind === "PlatformWebhook" ? [...webhooks.values()] : [...services.values()].filter((one) => one.name === name);
  const [one] = made;
  if (one === undefined) await env.annotate(kind, name, { [RESOLVE]: "recreate" });
  else await env.patch(kind, name, { spec: { externalId: one.id } });
}
