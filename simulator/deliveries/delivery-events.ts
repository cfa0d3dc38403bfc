import { statesOf } from "../model/actions.ts";
import type { Machine, Transition } from "../model/machine.ts";
import type { DeploymentRequest, Environment, Fields, Service, Target } from "../model/world.ts";

/** The content of one delivery. */
export interface Message {
  readonly event: string;
  readonly body: Fields;
}

type Happening = "started" | "succeeded" | "failed" | "canceled";

/** The event names of the documentation, which has none for a cancellation, and those of deployed services. */
const names = {
  documented: { started: "DEPLOYMENT_STARTED", succeeded: "DEPLOYMENT_SUCCEEDED", failed: "DEPLOYMENT_FAILED" },
  full: {
    started: "DEPLOYMENT_STARTED",
    succeeded: "DEPLOYMENT_SUCCESSFUL",
    failed: "DEPLOYMENT_FAILURE",
    canceled: "DEPLOYMENT_CANCELLED",
  },
} as const;

/**
 * @param transition of a deployment request, before reads show it
 * @returns the deliveries: on the documented surface one message for each application, with its id; on the full surface
 * a single message with all services of the request
 */
export function messagesOf(machine: Machine, request: DeploymentRequest, transition: Transition): readonly Message[] {
  const environment = machine.world.environments.get(request.environmentId);
  if (request.action !== "deploy" || environment === undefined) return [];
  const happening = happeningOf(transition);
  if (happening === undefined) return [];
  if (machine.settings.surface === "full") return [whole(machine, environment, request, transition, happening)];
  return request.targets.flatMap((target) => documented(machine, target, happening));
}

function happeningOf({ from, to }: Transition): Happening | undefined {
  if (to === statesOf.deploy.done) return "succeeded";
  if (to === statesOf.deploy.failed || to === "BUILD_ERROR") return "failed";
  if (to === "CANCELED") return "canceled";
  return from === statesOf.deploy.queued ? "started" : undefined;
}

/** Returns the documented message of one target; a target that succeeded in a failed request counts as succeeded. */
function documented(machine: Machine, target: Target, happening: Happening): Message[] {
  const service = machine.world.services.get(target.serviceId);
  if (service?.kind !== "application" || happening === "canceled") return [];
  if (happening !== "started" && target.outcome !== "done" && target.outcome !== "failed") return [];
  const own = happening === "started" ? "started" : target.outcome === "done" ? "succeeded" : "failed";
  const event = names.documented[own];
  return [{ event, body: { event_type: event, payload: { application_id: service.id } } }];
}

function whole(
  machine: Machine,
  environment: Environment,
  request: DeploymentRequest,
  { to, at }: Transition,
  happening: Happening,
): Message {
  const event = names.full[happening];
  const { world } = machine;
  const project = world.projects.get(environment.projectId);
  const services = request.targets.flatMap(({ serviceId }) => world.services.get(serviceId) ?? []);
  const of = (kind: Service["kind"]): Fields[] =>
    services.filter((service) => service.kind === kind).map(({ id, name }) => ({ id, name }));
  const body = {
    created_at: machine.time.wall(at).toISOString(),
    event_type: event,
    payload_type: "ENVIRONMENT",
    payload_id: environment.id,
    payload: {
      current_status: to,
      desired_status: statesOf.deploy.done,
      organization: { id: request.organizationId, name: world.organizations.get(request.organizationId)?.name },
      project: { id: project?.id, name: project?.name },
      environment: { id: environment.id, name: environment.name, mode: environment.mode },
      applications: of("application"),
      containers: of("container"),
      databases: of("database"),
    },
  };
  return { event, body };
}
