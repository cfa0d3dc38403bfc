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
import type { Bed } from "../bed.ts";

/** One step of the life: what a user does, and what has to come of it. */
export interface Chapter {
  readonly name: string;
  /** The only surface that has it. */
  readonly only?: Surface;
  act(bed: Bed): Promise<void>;
  /** Waits for what the chapter leads to; on the way does what a user is told to. */
  over(bed: Bed): Promise<void>;
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
    act: async (bed) => bed.apply(...manifests(bed)),
    over: async (bed) => {
      for (const [kind, name] of MEMBERS) await comes(bed, kind, name, isReady);
    },
  },
  {
    name: "change",
    act: async (bed) => {
      // An import does not replace a secret, and the documented surface has nothing else.
      if (bed.platform.sim.settings.surface === "full") await bed.apply(secret("values", { TOKEN: SECOND }));
      await bed.patch("PlatformVariableSet", "settings", { spec: { variables: shared("two") } });
      await bed.patch("PlatformBinding", "addons", { spec: { layerSelections: { observability: false } } });
      await bed.patch("PlatformApplication", "api", {
        spec: { deploy: { gitCommitId: NEXT_COMMIT }, variables: own("two") },
      });
    },
    over: async (bed) => {
      await comes(bed, "PlatformVariableSet", "settings", isReady);
      await comes(bed, "PlatformBinding", "addons", isReady);
      // What is read of a Secret is believed for a while.
      if (bed.platform.sim.settings.surface === "full") await becomes(() => holdsSecrets(bed, SECOND), PATIENCE_MS);
      await comes(bed, "PlatformApplication", "api", (object) => isReady(object) && commitOf(object) === NEXT_COMMIT);
    },
  },
  {
    name: "stop",
    act: async (bed) => {
      await bed.patch("PlatformDatabase", "orders", { spec: { runState: "Stopped" } });
      const applicationRef = { name: "api" };
      await bed.apply(operation(OPERATION[1], { type: "DeployApplication", applicationRef, gitCommitId: NEXT_COMMIT }));
    },
    over: async (bed) => {
      await comes(bed, "PlatformDatabase", "orders", isReady);
      await comes(bed, ...OPERATION, isReady);
      await comes(bed, "PlatformApplication", "api", isReady);
    },
  },
  {
    name: "pause",
    only: "full",
    act: (bed) => bed.patch("PlatformApplication", "api", { spec: { runState: "Stopped" } }),
    over: (bed) => comes(bed, "PlatformApplication", "api", isReady),
  },
  {
    name: "delete",
    act: async (bed) => {
      // A life that was cut short has no operation.
      if ((await bed.find(...OPERATION)) !== undefined) await bed.remove(...OPERATION);
      for (const [kind, name] of LIVING) await bed.remove(kind, name);
    },
    over: async (bed) => {
      for (const [kind, name] of [OPERATION, ...LIVING]) await bed.waitGone(kind, name, PATIENCE_MS);
      // The others need it to the last.
      if ((await bed.find(...CONNECTION)) !== undefined) await bed.remove(...CONNECTION);
      await bed.waitGone(...CONNECTION, PATIENCE_MS);
    },
  },
];

const PATIENCE_MS = 60_000;

function manifests(bed: Bed): readonly Manifest[] {
  const target = { applicationRef: { name: "api" } };
  const template = { key: "kubernetes-essentials", version: "1.2.0" };
  const clusterRef = { externalId: bed.platform.clusterIds[0] ?? "" };
  return [
    secret("default", { token: bed.platform.tokens.admin }),
    secret("values", { TOKEN: FIRST }),
    // Where nothing shows what a service belongs to, the id that answers a question has to be believed.
    connection(bed, "default", { allowUnverifiedIds: bed.platform.sim.settings.surface === "documented" }),
    project("shop", gone),
    environment(bed, "staging", "shop", gone),
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
function holdsSecrets(bed: Bed, value: string): Promise<true | undefined> {
  const held = [...bed.platform.world().variables.values()].filter((one) => one.secret && one.value === value);
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
  bed: Bed,
  kind: string,
  name: string,
  is: (object: KubeObject) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    const found = await bed.waitFor(kind, name, (one) => is(one) || questionOf(one) !== undefined, patienceMs);
    const question = questionOf(found);
    if (is(found) || question === undefined) return;
    const action = member(found.spec, "runState") === "Stopped" ? "stop" : "deploy";
    const order = question === "NotObservable" ? action : undefined;
    bed.unknowns.push({ kind, name, order });
    if (question === "CreateResultUnknown") await tellResult(bed, kind, name);
    else await bed.annotate(kind, name, { [REQUESTED_AT]: `again-${asked}` });
    await bed.waitFor(kind, name, (one) => questionOf(one) !== question || is(one), patienceMs);
  }
  await bed.waitFor(kind, name, is, patienceMs);
}

/** What a person has to say a word about. */
function questionOf(object: KubeObject): string | undefined {
  const stalled = condition(object, "Stalled");
  if (stalled?.status !== "True" || stalled.observedGeneration !== object.metadata.generation) return undefined;
  const { reason } = stalled;
  return reason === "CreateResultUnknown" || reason === "NotObservable" ? reason : undefined;
}

/** The id of what is there, or leave to create it again. */
async function tellResult(bed: Bed, kind: string, name: string): Promise<void> {
  const { services, webhooks } = bed.platform.world();
  const made =
    kind === "PlatformWebhook" ? [...webhooks.values()] : [...services.values()].filter((one) => one.name === name);
  const [one] = made;
  if (one === undefined) await bed.annotate(kind, name, { [RESOLVE]: "recreate" });
  else await bed.patch(kind, name, { spec: { externalId: one.id } });
}
