/** One request, and did an old one land. */
import type { Known, OpenIntent, Trace } from "../../engine/kind.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase } from "../../platform/states.ts";
import { platformApplication, type ApplicationMemory, type LastDeployment } from "../../resources/application.ts";
import { baseline, landed } from "../names.ts";
import { baselineOf } from "./deployment.ts";
import { NOTHING_SEEN, recordOf, type ApplicationPass, type Do, type Seen } from "./model.ts";
import { applicationInput, declaredSettings } from "./settings.ts";

type Folded = Known<Seen, ApplicationMemory>;

/** @throws ApiError */
export async function act(step: Do, pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const id = pass.id ?? "";
  switch (step.what) {
    case "create":
      return await create(pass, seen, api);
    case "update":
      return await update(pass, seen, api);
    case "import":
      return await importVariables(pass, seen, api, id);
    case "secret":
      return await replaceSecret(step, pass, seen, api, id);
    case "deploy": {
      const status = await api.applications.deploy(id, step.commit);
      return {
        seen: withStatus(seen, status),
        memory: { ...pass.memory, runState: "Running", lastDeployment: begun(pass, seen, step, status) },
      };
    }
    case "stop": {
      const status = await api.applications.stop(id);
      return { seen: withStatus(seen, status), memory: { ...pass.memory, runState: "Stopped" } };
    }
    case "delete":
      await api.applications.delete(id);
      return { seen: { ...seen, deleting: true }, memory: pass.memory };
    default:
      return step satisfies never;
  }
}

async function create(pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const made = await api.applications.create(pass.inputs.environmentId, applicationInput(pass.spec));
  // A service that was just created is READY until it is deployed (api-behaviour §6.2).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const memory = { ...pass.memory, written: { settings: { ...declaredSettings(pass.spec) }, revision: 0 } };
  return { seen: { ...seen, siblings: seen.siblings && [...seen.siblings, made], status }, memory, id: made.id };
}

async function update(pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const record = recordOf(pass, seen);
  if (record === undefined) return { seen, memory: pass.memory };
  const input = applicationInput(pass.spec);
  const updated = await api.applications.update(record, input);
  const { written } = pass.memory;
  const memory = {
    ...pass.memory,
    written: { ...written, settings: { ...declaredSettings(pass.spec) }, revision: (written?.revision ?? 0) + 1 },
  };
  // Where the answer has no body, what was sent is taken to be there until the next read.
  const next = updated ?? { ...record, name: input.name };
  return { seen: { ...seen, siblings: seen.siblings?.map((one) => (one.id === record.id ? next : one)) }, memory };
}

async function importVariables(pass: ApplicationPass, seen: Seen, api: Platform, id: string): Promise<Folded> {
  const { variables, fingerprint } = pass.inputs;
  const answer = await api.variables.import(id, { overwrite: true, vars: variables });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  const written = { ...pass.memory.written, variables: { ...fingerprint }, variableNames: taken };
  return { seen, memory: { ...pass.memory, written } };
}

async function replaceSecret(
  step: Extract<Do, { what: "secret" }>,
  pass: ApplicationPass,
  seen: Seen,
  api: Platform,
  id: string,
): Promise<Folded> {
  const value = pass.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.variables.updateSecret(id, step.secretId, { key: step.name, value });
  const { written } = pass.memory;
  return {
    seen,
    memory: { ...pass.memory, written: { ...written, variableNames: [...(written?.variableNames ?? []), step.name] } },
  };
}

function begun(
  pass: ApplicationPass,
  seen: Seen,
  step: Extract<Do, { what: "deploy" }>,
  status: ServiceStatus | undefined,
): LastDeployment {
  const { written } = pass.memory;
  return {
    gitCommitId: step.commit,
    startedAt: pass.now.toISOString(),
    settings: written?.revision ?? 0,
    ...(status === undefined ? {} : { state: status.state }),
    ...(status?.deploymentRequestId === undefined
      ? { baseline: baselineOf(seen.status) }
      : { requestId: status.deploymentRequestId }),
    ...(written?.variables === undefined ? {} : { variables: written.variables }),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
  };
}

/** The state after a write. An answer without a body says nothing: the old state stands, and is not believed. */
function withStatus(seen: Seen, status: ServiceStatus | undefined): Seen {
  return status === undefined ? seen : { ...seen, status };
}

/** @throws ApiError */
export async function trace(
  intent: OpenIntent,
  pass: ApplicationPass,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  if (intent.creates) return await traceCreate(intent, pass, api);
  const status = await statusOrGone(intent.id ?? pass.id ?? "", api);
  if (status === undefined) return { is: "absent" };
  const seen = { ...NOTHING_SEEN, status };
  if (intent.op === "stopApplication") {
    const stopping = /^STOP|STOPPING$/.test(status.state);
    return stopping
      ? { is: "landed", known: [{ seen, memory: { ...pass.memory, runState: "Stopped" } }] }
      : { is: "absent" };
  }
  const moved =
    baselineOf(status) !== baseline(intent.mark, "baseline") ||
    (status.deploymentRequestId ?? null) !== baseline(intent.mark, "requestId");
  if (!moved && servicePhase(status.state) !== "busy") return { is: "absent" };
  return {
    is: "landed",
    known: [{ seen, memory: { ...pass.memory, runState: "Running", lastDeployment: traced(intent, pass, status) } }],
  };
}

async function traceCreate(
  intent: OpenIntent,
  pass: ApplicationPass,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  if (pass.surface === "Documented") {
    const message = `The platform did not confirm the creation of "${intent.name ?? ""}", and its surface has no list to look it up in. Look on the platform: if it exists, set spec.externalId; if not, annotate this resource with platform-operator.io/resolve=recreate.`;
    return { is: "unknowable", why: { reason: "CreateResultUnknown", message } };
  }
  const found = landed(
    intent,
    await api.applications.list(intent.parentId ?? pass.inputs.environmentId),
    pass.holderOf,
  );
  if (found.length === 0) return { is: "absent" };
  return { is: "landed", known: found.map(({ id }) => ({ seen: NOTHING_SEEN, memory: pass.memory, id })) };
}

async function statusOrGone(id: string, api: Platform): Promise<ServiceStatus | undefined> {
  try {
    return await api.applications.status(id);
  } catch (error) {
    if (error instanceof ApiError && error.failure.is === "NotFound") return undefined;
    throw error;
  }
}

/** What the intent of a deployment says about it, with the request id that the service shows. */
function traced(intent: OpenIntent, pass: ApplicationPass, status: ServiceStatus): LastDeployment {
  const mark = platformApplication.memory.parse({
    lastDeployment: {
      gitCommitId: intent.commit ?? "",
      settings: baseline(intent.mark, "settings"),
      variables: baseline(intent.mark, "variables"),
      retry: baseline(intent.mark, "retry"),
    },
  }).lastDeployment;
  const known = mark ?? { gitCommitId: intent.commit ?? "" };
  const { deploymentRequestId: requestId } = status;
  const fresh = requestId !== undefined && requestId !== baseline(intent.mark, "requestId");
  const before = baseline(intent.mark, "baseline");
  const followedBy = fresh ? { requestId } : { baseline: typeof before === "string" ? before : "" };
  return { ...known, ...followedBy, state: status.state, startedAt: pass.now.toISOString() };
}
