/**
 * The oracle: not an operator, but the fewest requests that make an application Ready, with the operator's own clients.
 * For a create: POST application, PATCH annotation, POST variables, POST deploy, PATCH status, GET status, PATCH
 * status. For a redeploy: POST deploy, PATCH status, GET status, PATCH status. It has no cache, no lease and no
 * intents: a crash between two requests creates twice.
 *
 * usage: oracle.ts KUBECONFIG NAMESPACE PLATFORM-URL
 */
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { createKubeClient } from "../src/kube/api/client.ts";
import { systemClock } from "../src/kube/api/clock.ts";
import { parseJson } from "../src/kube/api/json.ts";
import type { JsonObject } from "../src/kube/api/types.ts";
import { lines } from "../src/kube/watch/watch-event.ts";
import { TOKEN, WORKERS } from "./rig.ts";

/** The operator's time until its first read of a deployment. */
const FIRST_POLL_MS = 2_000;

const [, , path = "", namespace = "", platformUrl = ""] = process.argv;
const client = createKubeClient({ config: { from: "file", path }, userAgent: "bench-oracle", clock: systemClock() });
const root = `/apis/platform-operator.io/v1alpha1/namespaces/${namespace}`;

const Environments = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.object({ externalId: z.string() }) })),
});
const Event = z.object({
  type: z.string(),
  object: z.object({
    metadata: z.object({ name: z.string().default(""), generation: z.number().default(0) }),
    spec: z
      .looseObject({
        name: z.string(),
        environmentRef: z.object({ name: z.string() }),
        gitRepository: z.object({ url: z.string(), branch: z.string() }),
        variables: z.array(z.object({ name: z.string(), value: z.string() })),
        deploy: z.object({ gitCommitId: z.string() }),
      })
      .optional(),
  }),
});
type Observed = z.infer<typeof Event>["object"];
type Application = Pick<Observed, "metadata"> & { readonly spec: NonNullable<Observed["spec"]> };
const Answer = z.object({ id: z.string().default(""), state: z.string().default("") });

const environments = new Map(
  Environments.parse(await client.request({ method: "GET", path: `${root}/platformenvironments` })).items.map(
    ({ metadata, status }) => [metadata.name, status.externalId],
  ),
);
const ids = new Map<string, string>();
const commits = new Map<string, string>();
const queue: (() => Promise<void>)[] = [];
let running = 0;

async function platform(method: string, suffix: string, body?: JsonObject): Promise<z.infer<typeof Answer>> {
  const response = await fetch(`${platformUrl}${suffix}`, {
    method,
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${suffix}: ${String(response.status)} ${text}`);
  return Answer.parse(JSON.parse(text || "{}"));
}

async function patch(name: string, body: JsonObject, subresource = ""): Promise<void> {
  const at = `${root}/platformapplications/${name}${subresource}`;
  await client.request({ method: "PATCH", path: at, body });
}

function enqueue(job: () => Promise<void>): void {
  queue.push(job);
  if (running < WORKERS) void work();
}

async function work(): Promise<void> {
  running += 1;
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await job();
  running -= 1;
}

async function create({ metadata: { name }, spec }: Application): Promise<string> {
  const { id } = await platform(
    "POST",
    `/environment/${environments.get(spec.environmentRef.name) ?? ""}/application`,
    {
      name,
      git_repository: spec.gitRepository,
      build_mode: "DOCKER",
      dockerfile_path: "Dockerfile",
      cpu: 500,
      memory: 512,
      min_running_instances: 1,
      max_running_instances: 2,
      ports: [{ internal_port: 8080, external_port: 443, protocol: "HTTP", publicly_accessible: true }],
    },
  );
  await patch(name, { metadata: { annotations: { "platform-operator.io/external-id": id } } });
  ids.set(name, id);
  const vars = spec.variables.map((variable) => ({ ...variable, is_secret: false }));
  await platform("POST", `/application/${id}/environmentVariable/import`, { overwrite: true, vars });
  return id;
}

async function reconcile(application: Application): Promise<void> {
  const { metadata, spec } = application;
  const id = ids.get(metadata.name) ?? (await create(application));
  const { gitCommitId } = spec.deploy;
  await platform("POST", `/application/${id}/deploy`, { git_commit_id: gitCommitId });
  const reported = { externalId: id, observedGeneration: metadata.generation, lastDeployment: { gitCommitId } };
  await patch(
    metadata.name,
    { status: { ...reported, conditions: conditions("False", metadata.generation) } },
    "/status",
  );
  void follow(application, id);
}

async function follow(application: Application, id: string): Promise<void> {
  await sleep(FIRST_POLL_MS);
  enqueue(async () => {
    const { state } = await platform("GET", `/application/${id}/status`);
    const { name, generation } = application.metadata;
    if (state === "DEPLOYED") await patch(name, { status: { conditions: conditions("True", generation) } }, "/status");
    else void follow(application, id);
  });
}

function conditions(status: "True" | "False", generation: number): JsonObject[] {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const same = { message: "", observedGeneration: generation, lastTransitionTime: now };
  return [
    { type: "Ready", status, reason: status === "True" ? "Deployed" : "Deploying", ...same },
    { type: "Synced", status: "True", reason: "ReconcileSuccess", ...same },
  ];
}

const query = {
  watch: true,
  sendInitialEvents: true,
  allowWatchBookmarks: true,
  resourceVersionMatch: "NotOlderThan",
  resourceVersion: "0",
};
const { signal } = new AbortController();
process.stdout.write("watching\n");
for await (const line of lines(client.stream({ path: `${root}/platformapplications`, query, signal }), () => {})) {
  const { data: event } = Event.safeParse(parseJson(line));
  const { metadata, spec } = event?.object ?? {};
  if (metadata === undefined || spec === undefined || event?.type === "DELETED") continue;
  if (commits.get(metadata.name) === spec.deploy.gitCommitId) continue;
  commits.set(metadata.name, spec.deploy.gitCommitId);
  enqueue(() => reconcile({ metadata, spec }));
}
