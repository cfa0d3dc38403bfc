/** The lifecycle that plans inject a crash into, from the first `kubectl apply` to the last `kubectl delete`. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { RECONCILE_REQUESTED_AT as REQUESTED_AT, REDEPLOY_REQUESTED_AT, RESOLVE } from "../../../src/api/names.ts";
import { isSettled, recordedIn } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { comes, condition, type Manifest } from "../../support/env/cluster.ts";
import { answerIn } from "../../support/kube/answer.ts";
import {
  application,
  blueprint,
  connection,
  database,
  environment,
  NEXT_COMMIT,
  project,
  resource,
  secret,
} from "../../support/kube/manifests.ts";
import type { ChaosEnv } from "../env.ts";

/** One part of the lifecycle: an action of the user and its result. */
export interface Chapter {
  readonly name: string;
  /** The only surface that supports the chapter. */
  readonly only?: Surface;
  act(env: ChaosEnv): Promise<void>;
  /** Waits for the result; does what a condition asks the user for meanwhile. */
  complete(env: ChaosEnv): Promise<void>;
}

/** The resources, parents first. */
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
const CHILDREN_FIRST = MEMBERS.slice(1).toReversed();

/** The value in the variables' Secret, before and after the change. */
export const [OLD_SECRET, NEW_SECRET] = ["first-s3cret", "second-s3cret"] as const;

const deleted = { lifecycle: { deletionPolicy: "Delete" } } as const;

export const CHAPTERS: readonly Chapter[] = [
  {
    name: "create",
    act: async (env) => env.apply(...manifests(env)),
    complete: async (env) => {
      for (const [kind, name] of MEMBERS) await waitAsUser(env, kind, name, isReady);
    },
  },
  {
    name: "change",
    act: async (env) => {
      // The documented surface only has the import, which does not replace a secret.
      if (env.platform.sim.settings.surface === "full") {
        await env.apply(secret("values", { TOKEN: NEW_SECRET }));
        await env.patch("PlatformBlueprint", "cache", { spec: { specOverrides: { timeout: 90 } } });
      }
      await env.patch("PlatformVariableSet", "settings", { spec: { variables: shared("two") } });
      await env.patch("PlatformBinding", "addons", { spec: { layerSelections: { observability: false } } });
      await env.patch("PlatformApplication", "api", {
        spec: { deploy: { gitCommitId: NEXT_COMMIT }, variables: own("two") },
      });
    },
    complete: async (env) => {
      await waitAsUser(env, "PlatformVariableSet", "settings", isReady);
      await waitAsUser(env, "PlatformBinding", "addons", isReady);
      await waitAsUser(env, "PlatformBlueprint", "cache", isReady);
      // The operator caches values of a Secret for a while.
      if (env.platform.sim.settings.surface === "full") await comes(() => holdsSecrets(env, NEW_SECRET), TIMEOUT_MS);
      await waitAsUser(
        env,
        "PlatformApplication",
        "api",
        (object) => isReady(object) && commitOf(object) === NEXT_COMMIT,
      );
    },
  },
  {
    name: "stop",
    act: async (env) => {
      await env.patch("PlatformDatabase", "orders", { spec: { runState: "Stopped" } });
      await env.annotate("PlatformApplication", "api", { [REDEPLOY_REQUESTED_AT]: "once" });
    },
    complete: async (env) => {
      await waitAsUser(env, "PlatformDatabase", "orders", isReady);
      const isRedeployed = ({ status }: KubeObject): boolean => member(status, "lastHandledRedeployAt") === "once";
      await waitAsUser(env, "PlatformApplication", "api", (object) => isReady(object) && isRedeployed(object));
    },
  },
  {
    name: "pause",
    only: "full",
    act: (env) => env.patch("PlatformApplication", "api", { spec: { runState: "Stopped" } }),
    complete: (env) => waitAsUser(env, "PlatformApplication", "api", isReady),
  },
  {
    name: "delete",
    act: async (env) => {
      for (const [kind, name] of CHILDREN_FIRST) await env.remove(kind, name);
    },
    complete: async (env) => {
      for (const [kind, name] of CHILDREN_FIRST) await env.waitGone(kind, name, TIMEOUT_MS);
      // All others need the connection.
      if ((await env.find(...CONNECTION)) !== undefined) await env.remove(...CONNECTION);
      await env.waitGone(...CONNECTION, TIMEOUT_MS);
    },
  },
];

const TIMEOUT_MS = 60_000;

function manifests(env: ChaosEnv): readonly Manifest[] {
  const target = { applicationRef: { name: "api" } };
  const template = { key: "kubernetes-essentials", version: "1.2.0" };
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  return [
    secret("default", { token: env.platform.tokens.admin }),
    secret("values", { TOKEN: OLD_SECRET }),
    // The documented surface cannot verify the id that resolves an unknown create.
    connection(env, "default", { allowUnverifiedIds: env.platform.sim.settings.surface === "documented" }),
    project("shop", deleted),
    environment(env, "staging", "shop", deleted),
    application("api", "staging", { variables: own("one"), ...deleted }),
    database("orders", "staging", deleted),
    blueprint("cache", "staging", deleted),
    resource("PlatformVariableSet", "settings", { targets: [target], variables: shared("one"), ...deleted }),
    resource("PlatformBinding", "addons", {
      clusterRef,
      template,
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
      ...deleted,
    }),
    resource("PlatformWebhook", "hook", {
      targetUrl: "https://hooks.example.com/x",
      events: ["DEPLOYMENT_STARTED"],
      ...deleted,
    }),
  ];
}

/** Resolves to true once both secret variables have that value on the platform. */
function holdsSecrets(env: ChaosEnv, value: string): Promise<true | undefined> {
  const held = [...env.platform.world().variables.values()].filter(
    (variable) => variable.secret && variable.value === value,
  );
  return Promise.resolve(held.length === 2 || undefined);
}

const fromSecret = { valueFrom: { secretKeyRef: { name: "values", key: "TOKEN" } } } as const;

function own(mode: string): readonly JsonObject[] {
  return [
    { name: "MODE", value: mode },
    { name: "TOKEN", ...fromSecret },
  ];
}

/** The names of the variable set's variables, a plain one and a secret. */
export const SHARED_NAMES = ["SHARED", "SHARED_TOKEN"] as const;

function shared(value: string): readonly JsonObject[] {
  const [plain, secretName] = SHARED_NAMES;
  return [
    { name: plain, value },
    { name: secretName, ...fromSecret },
  ];
}

export const isReady = (object: KubeObject): boolean => isSettled(object) && recordedIn(object, "intent") === undefined;

const commitOf = ({ status }: KubeObject): Json | undefined => member(member(status, "lastDeployment"), "gitCommitId");

/** What a user of one namespace sees and does. */
export type UserView = Pick<ChaosEnv, "platform" | "userActions" | "waitFor" | "annotate" | "patch">;

/** The limit of user actions for one object. */
const MAX_USER_ACTIONS = 3;

/** Waits until an object matches. If it reports an unknown result, does what its condition asks the user for. */
export async function waitAsUser(
  env: UserView,
  kind: string,
  name: string,
  matches: (object: KubeObject) => boolean,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  for (let actions = 0; actions < MAX_USER_ACTIONS; actions += 1) {
    const isDecided = (one: KubeObject): boolean => matches(one) || unknownResultOf(one) !== undefined;
    const object = await env.waitFor(kind, name, isDecided, timeoutMs);
    const reason = unknownResultOf(object);
    if (matches(object) || reason === undefined) return;
    const action = member(object.spec, "runState") === "Stopped" ? "stop" : "deploy";
    env.userActions.push({ kind, name, repeats: reason === "NotObservable" ? action : undefined });
    if (reason === "CreateResultUnknown") await resolveCreate(env, object);
    else await env.annotate(kind, name, { [REQUESTED_AT]: `again-${actions}` });
    await env.waitFor(kind, name, (one) => unknownResultOf(one) !== reason || matches(one), timeoutMs);
  }
  await env.waitFor(kind, name, matches, timeoutMs);
}

/** Returns the reason if the object is stalled by an unknown result. */
function unknownResultOf(object: KubeObject): string | undefined {
  const stalled = condition(object, "Stalled");
  if (stalled?.status !== "True" || stalled.observedGeneration !== object.metadata.generation) return undefined;
  const { reason } = stalled;
  return reason === "CreateResultUnknown" || reason === "NotObservable" ? reason : undefined;
}

/** Sets the external id if the object exists, otherwise allows a second create. */
async function resolveCreate(env: UserView, object: KubeObject): Promise<void> {
  const { kind } = object;
  const { name } = object.metadata;
  const { services, webhooks } = env.platform.world();
  const [existing] =
    kind === "PlatformWebhook"
      ? [...webhooks.values()]
      : [...services.values()].filter((service) => service.name === name);
  if (existing === undefined) await env.annotate(kind, name, { [RESOLVE]: answerIn(object) });
  else await env.patch(kind, name, { spec: { externalId: existing.id } });
}
