/** Describes the objects of a project as resources. Pure. */
import { APPLICATION_SETTINGS } from "../../../kinds/application/model.ts";
import { DATABASE_SETTINGS } from "../../../kinds/database/model.ts";
import { exportedSettings } from "../../../kinds/service/settings.ts";
import { servicePhase } from "../../../platform/codec/states.ts";
import { hasCredentials } from "../../../text/text.ts";
import type { Document, ExportItem } from "./documents.ts";
import type { FoundApplication, FoundDatabase, FoundEnvironment, FoundProject } from "./inventory.ts";

export function projectItem({ id, name, description }: FoundProject["record"]): ExportItem {
  return {
    kind: "PlatformProject",
    id,
    preferredNames: [name],
    describe: ({ connectionRef, lifecycle }) => ({
      spec: { connectionRef, name, description: description || undefined, externalId: id, lifecycle },
    }),
  };
}

export function environmentItem(project: FoundProject["record"], found: FoundEnvironment): ExportItem {
  const { id, record } = found;
  return {
    kind: "PlatformEnvironment",
    id,
    preferredNames: record === undefined ? [] : [record.name, `${project.name} ${record.name}`],
    describe: ({ nameOf, clusterRef, lifecycle }) => ({
      spec: {
        projectRef: { name: nameOf(project.id) },
        name: record?.name ?? "FILL-IN",
        mode: record?.mode,
        clusterRef: record?.clusterId === undefined ? { externalId: "FILL-IN" } : clusterRef(record.clusterId),
        externalId: id,
        lifecycle,
      },
      obstacles: record === undefined ? unseen(found) : [],
      isDraft: record === undefined,
    }),
  };
}

function unseen({ serviceCount }: FoundEnvironment): readonly string[] {
  const services = serviceCount === undefined ? "its services" : `its services (${serviceCount})`;
  return [
    `The platform shows only the id of this environment, and does not list ${services}.`,
    "To adopt it, fill in name and cluster, and uncomment it.",
    "A service can be adopted by spec.externalId if its connection allows unverified ids (allowUnverifiedIds).",
  ];
}

/** The place of a service: the id and the name of its environment, and the name of its project. */
export interface ServicePlace {
  readonly id: string;
  readonly environment: string;
  readonly project: string;
}

function preferredServiceNames(
  { name }: { readonly name: string },
  { environment, project }: ServicePlace,
): readonly string[] {
  return [name, `${environment} ${name}`, `${project} ${environment} ${name}`];
}

/** Describes a database; one that was never deployed will not be deployed. */
export function databaseItem({ record, state }: FoundDatabase, place: ServicePlace): ExportItem {
  const { id } = record;
  const isIdle = state !== undefined && servicePhase(state) === "idle";
  const runState = isIdle ? "Stopped" : runStateOf(state);
  return {
    kind: "PlatformDatabase",
    id,
    preferredNames: preferredServiceNames(record, place),
    describe: ({ nameOf, lifecycle }) => ({
      comments: isIdle ? ["It was never deployed. Remove spec.runState to deploy it."] : [],
      spec: {
        environmentRef: { name: nameOf(place.id) },
        ...exportedSettings(DATABASE_SETTINGS, record),
        runState,
        externalId: id,
        lifecycle,
      },
    }),
  };
}

const NO_COMMIT =
  "The platform does not show the deployed commit. The operator deploys nothing until spec.deploy is set.";
const CREDENTIALS =
  "The repository's URL on the platform contains credentials, which are omitted here. The application is only observed, so the URL stays unchanged.";

/** Describes an application with the commit that is deployed; one that follows its branch has none. */
export function applicationItem(found: FoundApplication, place: ServicePlace): ExportItem {
  const { record, state } = found;
  const { id } = record;
  const commit = record.gitRepository?.deployedCommitId;
  const isFollowing = record.autoDeploy === true;
  const secretUrl = hasCredentials(record.gitRepository?.url ?? "");
  return {
    kind: "PlatformApplication",
    id,
    preferredNames: preferredServiceNames(record, place),
    describe: ({ nameOf, lifecycle }) => ({
      comments: [
        ...variableComments(found),
        ...(commit === undefined && !isFollowing ? [NO_COMMIT] : []),
        ...(secretUrl ? [CREDENTIALS] : []),
      ],
      spec: {
        environmentRef: { name: nameOf(place.id) },
        ...exportedSettings(APPLICATION_SETTINGS, record),
        deploy: commit === undefined || isFollowing ? undefined : { gitCommitId: commit.toLowerCase() },
        runState: runStateOf(state),
        externalId: id,
        lifecycle: secretUrl ? { ...lifecycle, managementPolicy: "ObserveOnly" } : lifecycle,
      },
    }),
  };
}

function variableComments({ variables, secrets }: FoundApplication): readonly string[] {
  if (variables === undefined || secrets === undefined)
    return ["Its variables could not be read; they stay unchanged."];
  const list = (what: string, keys: readonly string[]): readonly string[] =>
    keys.length === 0 ? [] : [`Its ${what} stay unchanged: ${keys.join(", ")}.`];
  return [...list("variables", variables), ...list("secrets", secrets)];
}

/** Returns the comment for a service that is left out. */
export function otherService({ name, serviceType, blueprintId, id }: FoundEnvironment["others"][number]): Document {
  const what = `${(serviceType ?? "service").toLowerCase()} ${JSON.stringify(name)} (${id})`;
  const why =
    blueprintId === undefined
      ? "no kind describes services of this type"
      : `it comes from the blueprint ${blueprintId}, whose catalog and icon the platform does not show`;
  return { comments: [`Omitted: ${what}, because ${why}.`] };
}

/** Sets runState for stopped services only; the default, Running, is left out. */
function runStateOf(state: string | undefined): "Stopped" | undefined {
  return state !== undefined && servicePhase(state) === "stopped" ? "Stopped" : undefined;
}
