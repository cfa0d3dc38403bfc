/** Specs, contexts and observations of applications for tests of their pure code. */
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { platformApplication, type ApplicationSpec, type LastDeployment } from "../../../src/kinds/application/crd.ts";
import { application } from "../../../src/kinds/application/index.ts";
import {
  NOTHING_OBSERVED,
  type ApplicationContext,
  type Inputs,
  type Observed,
} from "../../../src/kinds/application/model.ts";
import type { ListedVariable, VariableLists } from "../../../src/kinds/variables/compare.ts";
import type { InputVariable } from "../../../src/kinds/variables/declared.ts";
import { asOwned, type Owned } from "../../../src/kinds/variables/owned.ts";
import type { Application } from "../../../src/platform/areas/applications.ts";
import type { ServiceStatus } from "../../../src/platform/areas/service-status.ts";
import { buildContext, type SpecChange } from "../kinds/contexts.ts";
import { planTable, said } from "../kinds/plans.ts";

export const APPLICATION = "00000000-0000-4000-8000-0000000000a1";
export const ENVIRONMENT = "00000000-0000-4000-8000-0000000000e1";
export const REQUEST = "00000000-0000-4000-8000-0000000000d1";
export const OLD_REQUEST = "00000000-0000-4000-8000-0000000000d0";
export const COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f80910a1b2c3";
export const OTHER_COMMIT = "feedfacefeedfacefeedfacefeedfacefeedface";
export const NOW = new Date("2026-11-21T10:00:00.400Z");

export function rawSpec(change: JsonObject = {}): JsonObject {
  return {
    environmentRef: { name: "staging" },
    name: "api",
    gitRepository: { url: "https://github.com/acme/api.git", branch: "main" },
    deploy: { gitCommitId: COMMIT },
    ...change,
  };
}

export function specOf(change: JsonObject = {}): ApplicationSpec {
  return platformApplication.spec.parse(rawSpec(change));
}

/** A fingerprint of some variables. */
export function print(digest: string, key = "key-1", sources = "1 s@1") {
  return { key, digest, sources };
}

/** Inputs with these variables. The digest of a variable is its name and value. */
export function inputsWith(variables: readonly InputVariable[], fingerprint = print("some")): Inputs {
  const wanted = variables.map((one) => ({ ...one, digest: `${one.name}=${one.value}` }));
  return { environmentId: ENVIRONMENT, variables: wanted, fingerprint, overwrite: true };
}

/** What an application remembers of variables that the platform took as these inputs declare them. */
export function ownedOf({ variables, fingerprint }: Inputs, change: Partial<Owned> = {}): Owned {
  return { variables: variables.map(asOwned), written: fingerprint, ...change };
}

/** An entry of the platform's lists; a secret has no value. The digest is that of `inputsWith`. */
export function listedVariable(key: string, value?: string, change: Partial<ListedVariable> = {}): ListedVariable {
  const isSecret = value === undefined;
  const times = { createdAt: "2026-11-20T10:00:00Z", updatedAt: "2026-11-20T10:00:00Z" };
  const digest = isSecret ? undefined : `${key}=${value}`;
  return { id: `id of ${key}`, key, isSecret, digest, scope: "APPLICATION", ...times, ...change };
}

/** The platform's lists with these entries. */
export function listsWith(...entries: readonly ListedVariable[]): VariableLists {
  return {
    plain: entries.filter(({ isSecret }) => !isSecret),
    secrets: entries.filter(({ isSecret }) => isSecret),
  };
}

/** The members of a deployment that has ended, and of one that is not known to have ended. */
const startedAt = "2026-11-21T09:00:00.000Z";
const finishedAt = "2026-11-21T09:01:00.000Z";
export const ENDED = { requestId: OLD_REQUEST, state: "DEPLOYED", startedAt, finishedAt, settings: 0 };
export const OPEN = { requestId: REQUEST, state: "DEPLOYMENT_QUEUED", startedAt, settings: 0 };

export function deployment(change: Partial<LastDeployment> = {}): LastDeployment {
  return { gitCommitId: COMMIT, ...ENDED, ...change };
}

export function openDeployment(change: Partial<LastDeployment> = {}): LastDeployment {
  return { gitCommitId: COMMIT, ...OPEN, ...change };
}

export type Change = SpecChange<ApplicationContext>;

/** The context of an application that exists, and whose commit is deployed. */
export function contextWith({ spec, memory, ...change }: Change = {}): ApplicationContext {
  const inputs = inputsWith([], print("none"));
  const remembered = { lastDeployment: deployment(), ...memory };
  const usual = { name: "api", spec: specOf(spec), inputs, now: NOW, id: APPLICATION, memory: remembered };
  return buildContext<ApplicationContext>(usual, change);
}

export function statusOf(state: string, change: Partial<ServiceStatus> = {}): ServiceStatus {
  return {
    id: APPLICATION,
    state,
    serviceDeploymentStatus: "UP_TO_DATE",
    lastDeploymentDate: finishedAt,
    deploymentRequestId: OLD_REQUEST,
    deploymentRequestsCount: 0,
    executionId: "run-1",
    ...change,
  };
}

export function observedIn(state: string | undefined, change: Partial<Observed> = {}): Observed {
  return { ...NOTHING_OBSERVED, status: state === undefined ? undefined : statusOf(state), ...change };
}

export function record(change: Partial<Application> = {}): Application {
  const gitRepository = { url: "https://github.com/acme/api.git", branch: "main" };
  return { id: APPLICATION, name: "api", gitRepository, record: {}, ...change };
}

/** The observation on the full surface. */
export function observedFull(
  state: string,
  change: Partial<Application> = {},
  observed: Partial<Observed> = {},
): Observed {
  return observedIn(state, { siblings: [record(change)], ...observed });
}

export const planned = (change: Change, observed: Observed): string =>
  said(application.plan(contextWith(change), observed));

export const plans = planTable(planned);
