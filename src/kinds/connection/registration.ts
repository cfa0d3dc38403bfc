/** The registration of the operator's receiver of webhooks, for a connection with spec.webhook. */
import { type UserAnswer, answerCommand } from "../../api/resolve.ts";
import type { Resource } from "../../api/resource.ts";
import {
  refreshed,
  type Kind,
  type ReconcileContext,
  type Plan,
  type ReceiverInputs,
  type Uuid,
  type Why,
} from "../../engine/contract/kind.ts";
import { firstOf, once, stalled, safely } from "../shared/checks.ts";
import type { TypesOf } from "../shared/types.ts";
import { webhookDrift, isOutdated, KIND, readRegistration, shownTarget, type Shown } from "../webhook/model.ts";
import type { ConnectionMemory, ConnectionSpec } from "./crd.ts";

interface Observed {
  readonly shown: Shown;
  /** It was registered or changed in this reconcile. */
  readonly sent: boolean;
}

type Action = "create" | "update";
export type RegistrationTypes = TypesOf<
  Resource<ConnectionSpec, ConnectionMemory>,
  { inputs: ReceiverInputs; observed: Observed; action: Action }
>;
type RegistrationContext = ReconcileContext<RegistrationTypes>;

/** The names of events in the documentation, and those of deployed services (docs/architecture.md §9). */
const EVENTS = {
  Documented: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"],
  Full: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL", "DEPLOYMENT_FAILURE", "DEPLOYMENT_CANCELLED"],
} as const;

/** Returns the kind that registers the receiver of a connection. @param resource the kind of the connection */
export function registration(resource: Kind<RegistrationTypes>["resource"]): Kind<RegistrationTypes> {
  return {
    resource,
    externalLifecycle: false,
    needs: () => ({
      references: [],
      values: [],
      inputs: () => {
        throw new TypeError("a registration gets its inputs from the engine");
      },
    }),
    observe: async (context, api) => {
      const id = idOf(context);
      const isShown = id !== undefined && !isAnew(context, id);
      return { shown: isShown ? await readRegistration(context, api, id) : undefined, sent: false };
    },
    plan,
    act: async ({ action: what }, context, observed, api) => {
      const { memory, inputs } = context;
      const { secret, registered } = inputs;
      const isFull = context.isFull;
      const input = { ...wanted(context), ...(isFull && { targetSecret: secret }) };
      if (what === "update") {
        if (typeof observed.shown !== "object") return { observed, memory };
        const updated = await api.webhooks.update(observed.shown, input);
        const next = { ...observed.shown, ...wanted(context), ...updated };
        return {
          observed: { shown: next, sent: true },
          memory: { ...memory, webhook: { id: observed.shown.id, registered, hasSecret: isFull } },
        };
      }
      const { id } = await api.webhooks.create({ ...input, ...(isFull && { kind: KIND }) });
      const made = isFull ? { id, record: {}, ...wanted(context) } : undefined;
      return {
        observed: { shown: made, sent: true },
        memory: { ...memory, webhook: { id, registered, hasSecret: isFull } },
        id,
      };
    },
    trace: (_intent, { inputs }) => {
      const message = `The platform did not confirm the registration, and its surface has no list to look it up in. Look there for a webhook to ${shownTarget(inputs.url)}, and delete it if it exists.`;
      return Promise.resolve({ is: "unknowable", why: { reason: "CreateResultUnknown", message } });
    },
    report: (context) => ({
      ready: { reason: "Available", message: `The platform delivers to ${shownTarget(context.inputs.url)}.` },
      conditions: [],
      status: { webhook: reported(context) },
    }),
  };
}

function plan(context: RegistrationContext, observed: Observed): Plan<Action> {
  const { spec, inputs } = context;
  if (!inputs.url.startsWith("https:") && spec.baseUrl.startsWith("https:")) {
    return stalled(
      "InvalidSpec",
      "spec.webhook.receiverUrl must be an https URL, because requests to it contain the secret that proves a delivery.",
    );
  }
  const id = idOf(context);
  if (id === undefined || isAnew(context, id)) return create(context);
  if (observed.shown === "gone") {
    const message = `The platform has no webhook ${id} any more. Nothing is registered in its place. To register again, run: ${answerCommand(inputs.connection, again(id))}`;
    return stalled("ExternalResourceDeleted", message);
  }
  const claim = checkClaim(context, observed, id);
  return claim ?? firstOf(context, [() => checkShown(context, observed), () => checkSent(context, observed)]);
}

function create({ inputs }: RegistrationContext): Plan<Action> {
  const name = shownTarget(inputs.url);
  const why: Why = { reason: "Creating", message: `Registering the operator's receiver at ${name}.` };
  return once("createWebhook", "create", why, { creates: true, mark: null, name });
}

/** Checks an id that only an annotation holds, as after a loss of status: it is adopted if it is the receiver's. */
function checkClaim({ identitySource, memory, inputs }: RegistrationContext, observed: Observed, id: Uuid) {
  if (identitySource === "recorded" || memory.webhook !== undefined) return undefined;
  if (typeof observed.shown === "object" && observed.shown.targetUrl === inputs.url)
    return { is: "adopt" as const, id };
  const message = `An annotation says that the webhook ${id} is this connection's, and nothing proves it. To register again, run: ${answerCommand(inputs.connection, again(id))}`;
  return stalled("NotObservable", message);
}

function checkShown(context: RegistrationContext, observed: Observed): Plan<Action> | undefined {
  if (typeof observed.shown !== "object" || observed.sent) return undefined;
  const differs = webhookDrift(wanted(context), observed.shown).length > 0;
  const lacksSecret = context.isFull && context.memory.webhook?.hasSecret !== true;
  const outdated = isOutdated(context.memory.webhook?.registered, context.inputs.registered);
  if (!differs && !lacksSecret && !outdated) return undefined;
  if (!context.isFull) return noUpdate(context, observed.shown.id);
  const message = "Update the registration of the operator's receiver.";
  return safely("updateWebhook", "update", { message });
}

function checkSent(context: RegistrationContext, observed: Observed): Plan<Action> | undefined {
  const { webhook } = context.memory;
  if (observed.shown !== undefined || !isOutdated(webhook?.registered, context.inputs.registered)) return undefined;
  return noUpdate(context, webhook?.id ?? "");
}

function noUpdate({ inputs }: RegistrationContext, id: Uuid): Plan<Action> {
  const message = `The receiver's URL or Secret changed after it was registered, and the platform's surface has no update of webhooks. Change them back, or delete the old webhook on the platform and run: ${answerCommand(inputs.connection, again(id))}`;
  return stalled("UpdateNotSupported", message);
}

/** The answer that allows another registration in place of this one. */
function again(id: Uuid): UserAnswer {
  return `recreate:${id}`;
}

function isAnew({ inputs }: RegistrationContext, id: Uuid): boolean {
  return inputs.answer === again(id);
}

/**
 * Returns the id of the registration. A record with a valid signature counts before the status, whose write a crash may
 * have prevented.
 */
function idOf({ id, identitySource, memory }: RegistrationContext): Uuid | undefined {
  return identitySource === "recorded" ? id : (memory.webhook?.id ?? id);
}

function wanted({ inputs, isFull }: RegistrationContext) {
  const events = EVENTS[isFull ? "Full" : "Documented"];
  return { targetUrl: inputs.url, events: [...events], enabled: true };
}

/** Returns the memory to store. A record without a status was made just before a crash. */
function reported({ id, identitySource, memory, inputs }: RegistrationContext): ConnectionMemory["webhook"] {
  const known = memory.webhook;
  if (identitySource === "recorded" && id !== undefined && id !== known?.id)
    return { id, registered: inputs.registered };
  return known && { ...known, registered: refreshed(known.registered, inputs.registered) };
}
