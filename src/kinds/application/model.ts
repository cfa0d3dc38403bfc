/** What the parts of the application kind exchange. */
import type { Fingerprint, ReconcileContext, Uuid, Why } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { IngressStatus } from "../../platform/areas/services.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import type { Place, Sight } from "../service/model.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import type { InputVariable } from "../shared/variables.ts";
import type { ApplicationMemory, ApplicationSpec } from "./crd.ts";

export interface Inputs {
  readonly environmentId: Uuid;
  readonly variables: readonly InputVariable[];
  /** The fingerprint of all variables. */
  readonly fingerprint: Fingerprint;
  /** The digest of each secret's value, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface Seen extends Place, Sight {
  /** The environment's applications, where the platform lists them. */
  readonly siblings: readonly Application[] | undefined;
  /** The application's own record, where the platform has no list and an update needs the record. */
  readonly own?: Application | undefined;
  /** A fresh list proves that the recorded application is gone. */
  readonly isGone: boolean;
  readonly ingress: SideRead<IngressStatus>;
  /** Keys of the application's variables and secrets, where they have to be known. */
  readonly keys: ReadonlySet<string> | undefined;
  /** Ids of its own secrets by key, where one has to be changed. */
  readonly secretIds: ReadonlyMap<string, Uuid>;
  /** The listed secrets, where those of an import have to be told apart from earlier ones. */
  readonly secrets: readonly Variable[] | undefined;
  /** Why variables or secrets that had to be known could not be read. */
  readonly variablesFault: Why | undefined;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export type Do =
  | { readonly what: "create" }
  | { readonly what: "update" }
  | { readonly what: "import" }
  | { readonly what: "stop" }
  | { readonly what: "delete" }
  | { readonly what: "secret"; readonly name: string; readonly secretId: Uuid }
  | {
      readonly what: "deploy";
      readonly commit: string;
      /** The token of the user's request that the deployment is made for. */
      readonly retry: string | undefined;
      /** How often spec.lifecycle.retry started the deployment again, this attempt included. */
      readonly attempts: number | undefined;
    };

/** The types of the kind. */
export interface ApplicationTypes {
  readonly spec: ApplicationSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: ApplicationMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type ApplicationContext = ReconcileContext<ApplicationTypes>;

export const NOTHING_SEEN: Seen = {
  environmentIsOurs: true,
  projectId: undefined,
  siblings: undefined,
  status: undefined,
  request: undefined,
  isGone: false,
  ingress: NOT_READ,
  keys: undefined,
  secretIds: new Map(),
  secrets: undefined,
  variablesFault: undefined,
  serverNow: undefined,
  updated: false,
  deleting: false,
};

/** Returns the application's own record, where the platform shows it. */
export function recordOf(context: ApplicationContext, seen: Seen): Application | undefined {
  return seen.own ?? seen.siblings?.find(({ id }) => id === context.id);
}
