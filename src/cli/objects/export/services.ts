/** Writes the services of an environment as manifests. Pure. */
import { servicePhase } from "../../../platform/codec/states.ts";
import { hasCredentials, withoutCredentials } from "../../../text/text.ts";
import type { FoundApplication, FoundDatabase, FoundEnvironment } from "./inventory.ts";
import { documentOf, type Document, type SpecData } from "./manifests.ts";
import { unlessHeld, type Scribe } from "./scribe.ts";

/** Writes an application with the commit that is deployed. */
export function applicationDocument(environmentId: string, found: FoundApplication, scribe: Scribe): Document {
  const { record, state } = found;
  return unlessHeld(scribe, "PlatformApplication", record.id, () => {
    const commit = record.gitRepository?.deployedCommitId;
    const secretUrl = hasCredentials(record.gitRepository?.url ?? "");
    return documentOf({
      kind: "PlatformApplication",
      name: scribe.nameOf(record.id),
      namespace: scribe.namespace,
      comments: [
        ...variableComments(found),
        ...(commit === undefined
          ? ["Which commit is deployed is not shown: nothing is deployed until spec.deploy says so."]
          : []),
        ...(secretUrl ? [CREDENTIALS] : []),
      ],
      spec: {
        environmentRef: { name: scribe.nameOf(environmentId) },
        name: record.name,
        gitRepository: repositoryOf(record.gitRepository),
        buildMode: record.buildMode,
        dockerfilePath: nonEmpty(record.dockerfilePath),
        cpu: record.cpu,
        memory: record.memory,
        minRunningInstances: record.minRunningInstances,
        maxRunningInstances: record.maxRunningInstances,
        ports: record.ports?.map(({ internalPort, externalPort, protocol, publiclyAccessible }) => ({
          internalPort,
          externalPort,
          protocol,
          publiclyAccessible,
        })),
        deploy: commit === undefined ? undefined : { gitCommitId: commit.toLowerCase() },
        runState: runStateOf(state),
        externalId: record.id,
        lifecycle: secretUrl ? { ...scribe.lifecycle, managementPolicy: "ObserveOnly" } : scribe.lifecycle,
      },
    });
  });
}

const CREDENTIALS =
  "The repository's URL on the platform holds credentials, which are left out here: it is only observed, so that they stay.";

function repositoryOf(repository: FoundApplication["record"]["gitRepository"]): SpecData {
  return {
    url: repository?.url === undefined ? undefined : withoutCredentials(repository.url, ""),
    branch: nonEmpty(repository?.branch),
    provider: repository?.provider,
    rootPath: nonEmpty(repository?.rootPath),
  };
}

function variableComments({ variables, secrets }: FoundApplication): readonly string[] {
  if (variables === undefined || secrets === undefined)
    return ["Its variables could not be read; they are left alone."];
  const list = (what: string, keys: readonly string[]): readonly string[] =>
    keys.length === 0 ? [] : [`Its ${what} are left alone: ${keys.join(", ")}.`];
  return [...list("variables", variables), ...list("secrets", secrets)];
}

/** Writes a database; one that was never deployed stays so. */
export function databaseDocument(environmentId: string, { record, state }: FoundDatabase, scribe: Scribe): Document {
  return unlessHeld(scribe, "PlatformDatabase", record.id, () => {
    const isIdle = state !== undefined && servicePhase(state) === "idle";
    return documentOf({
      kind: "PlatformDatabase",
      name: scribe.nameOf(record.id),
      namespace: scribe.namespace,
      comments: isIdle ? ["It was never deployed. Remove spec.runState to have it deployed."] : [],
      spec: {
        environmentRef: { name: scribe.nameOf(environmentId) },
        name: record.name,
        type: record.type,
        version: record.version,
        mode: record.mode,
        cpu: record.cpu,
        memory: record.memory,
        storage: record.storage,
        runState: isIdle ? "Stopped" : runStateOf(state),
        externalId: record.id,
        lifecycle: scribe.lifecycle,
      },
    });
  });
}

/** Returns the comment for a service that is left out. */
export function otherService({ name, serviceType, blueprintId, id }: FoundEnvironment["others"][number]): Document {
  const what = `${(serviceType ?? "service").toLowerCase()} ${JSON.stringify(name)} (${id})`;
  const why =
    blueprintId === undefined
      ? "no custom resource describes services of this type"
      : `it comes from the blueprint ${blueprintId}, whose catalogue and icon the platform does not show`;
  return { comments: [`Left out: ${what}, as ${why}.`] };
}

/** Sets runState for stopped services only; the default, Running, leaves the others as they are. */
function runStateOf(state: string | undefined): "Stopped" | undefined {
  return state !== undefined && servicePhase(state) === "stopped" ? "Stopped" : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
