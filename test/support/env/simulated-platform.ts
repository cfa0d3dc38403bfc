import type { App } from "../../../simulator/http/app.ts";
import { accept } from "../../../simulator/http/wire.ts";
import { submit } from "../../../simulator/lifecycle/deployments.ts";
import { advance } from "../../../simulator/lifecycle/transitions.ts";
import type { Action, ServiceKind } from "../../../simulator/model/actions.ts";
import { createdNow, newService } from "../../../simulator/model/creation.ts";
import type { Environment, Project, Service } from "../../../simulator/model/world.ts";
import {
  createSimulation,
  startSimulator,
  type Setup,
  type Simulator,
  type SimulatorOptions,
} from "../../../simulator/simulator.ts";
import { tryParseJson } from "../../../src/kube/api/json.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import { manualClock } from "../kube/clock.ts";

/** A platform without a network, with one empty environment, a manual clock and the speed 1. */
export function platformEnv() {
  const clock = manualClock();
  const setup = createSimulation({ surface: "full", seed: "bench", clock });
  const { sim } = setup;
  const { ids } = sim;
  const project = { id: ids.uuid(), organizationId: setup.organizationId, name: "shop" };
  const clusterId = setup.clusterIds[0] ?? "";
  const environment = placeEnvironment(sim, project, { id: ids.uuid(), name: "staging", mode: "STAGING", clusterId });
  return {
    ...setup,
    clock,
    environment,
    service: (kind: ServiceKind, name: string, state = "READY"): Service =>
      Object.assign(newService(sim, environment, kind, name, {}), { state }),
    /** Queues an action without a check of the state. */
    order: (action: Action, services: readonly Service[], { principal = "me", commit = "abcdef1" } = {}) => {
      const targets = services.map((service) => ({ service, commit: action === "deploy" ? commit : null }));
      return submit(sim, environment, { action, principal, targets });
    },
    wait: async (seconds: number): Promise<void> => {
      await clock.advance(seconds * 1000);
      advance(sim);
    },
    path: (id: string): readonly string[] =>
      sim.journal.entries.flatMap((entry) =>
        entry.is === "transition" && entry.transition.id === id ? [entry.transition.to] : [],
      ),
  };
}

/** Puts a project with an environment on a platform, without a call. */
export function placeEnvironment(
  sim: Setup["sim"],
  project: Pick<Project, "id" | "organizationId" | "name">,
  environment: Pick<Environment, "id" | "name" | "mode" | "clusterId">,
): Environment {
  const born = { ...createdNow(sim), isBeingDeleted: false };
  const placed = { ...born, ...environment, projectId: project.id, queue: [], lastRequestId: null };
  sim.world.projects.set(project.id, { ...born, ...project, description: null });
  sim.world.environments.set(environment.id, placed);
  return placed;
}

/** Whether bodies must have the members that deployed services require beyond the documentation. */
export function extendedOn({ sim }: Pick<Simulator, "sim">): { readonly extended: boolean } {
  return { extended: sim.settings.profile.records === "public" };
}

/** Makes a call without a socket. */
export async function exchangeDirectly(
  sim: Setup["sim"],
  app: App,
  { method, url, headers, body = "" }: HttpRequest,
): Promise<HttpAnswer> {
  const { pathname, search } = new URL(url);
  const call = { method, url: pathname + search, headers, body: Buffer.from(body) };
  const answer = await accept(sim, app, call).work();
  return { status: answer.status, text: answer.body.toString(), header: (name) => answer.headers[name] };
}

export type Answer = Awaited<ReturnType<typeof send>>;

/** Calls a simulator as its admin, or with the given Authorization header. */
export async function call(
  simulator: Pick<Simulator, "url" | "tokens">,
  request: string,
  body?: unknown,
  authorization: string | null = `Token ${simulator.tokens.admin}`,
): Promise<Answer> {
  return send(simulator.url, request, body, authorization === null ? {} : { authorization });
}

export async function create(simulator: Simulator, path: string, body: object): Promise<string> {
  const { id }: { readonly id: string } = (await call(simulator, `POST ${path}`, body)).body;
  return id;
}

export async function startWithEnvironment(options: SimulatorOptions) {
  const simulator = await startSimulator(options);
  const projectId = await create(simulator, `/organization/${simulator.organizationId}/project`, { name: "shop" });
  const environmentId = await create(simulator, `/project/${projectId}/environment`, { name: "staging" });
  return { simulator, projectId, environmentId };
}

export const control = (simulator: Simulator, request: string, body?: unknown): Promise<Answer> =>
  send(simulator.controlUrl, request, body, {});

async function send(base: string, request: string, body: unknown, headers: Record<string, string>) {
  const [method = "GET", path = "/"] = request.split(" ");
  const response = await fetch(base + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // The body is the text as JSON; undefined if it is not JSON.
  return { status: response.status, headers: response.headers, text, body: tryParseJson(text) as never };
}
