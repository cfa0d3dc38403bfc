/** What the parts of the application kind hand to each other. */
import type { Fingerprint, ReconcileContext, Uuid, Why } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { IngressStatus } from "../../platform/areas/services.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import type { Place, Sight } from "../service/model.ts";
import { NOT_READ, type SideRead } from "../shared/side-read.ts";
import type { InputVariable } from "../shared/variables.ts";
import type { ApplicationMemory, ApplicationSpec } from "./crd.ts";

export interface Inputs {
  readonly environmentId: Uuid;
  readonly variables: readonly InputVariable[];
  /** Stands for all variables. */
  readonly fingerprint: Fingerprint;
  /** What stands for the value of each secret, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface Seen extends Place, Sight {
  /** The environment's applications, on the full surface. */
  readonly siblings: readonly Application[] | undefined;
  /** Its own record, where the platform has no list to find it in and an update needs it. */
  readonly own?: Application | undefined;
  /** A fresh list proves that the recorded application is gone. */
  readonly isGone: boolean;
  readonly ingress: SideRead<IngressStatus>;
  /** Keys of the application's variables and secrets, where it has to be known. */
  readonly keys: ReadonlySet<string> | undefined;
  /** Ids of its own secrets by key, on the full surface, where one has to be changed. */
  readonly secretIds: ReadonlyMap<string, Uuid>;
  /** The secrets that are listed for it, where what an import has made is to be told from what was there before. */
  readonly secrets: readonly Variable[] | undefined;
  /** Why the variables or secrets that had to be known could not be read. */
  readonly variablesFault: Why | undefined;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this pass. */
  readonly updated: boolean;
  /** A delete was sent in this pass. */
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
      /** The token of the user's request that it is made for. */
      readonly retry: string | undefined;
      /** How many times spec.lifecycle.retry has started it again, this time included. */
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

export type ApplicationPass = ReconcileContext<ApplicationTypes>;

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

/** The application's own record, where the platform shows it. */
export function recordOf(context: ApplicationPass, seen: Seen): Application | undefined {
  return seen.own ?? seen.siblings?.find(({ id }) => id === context.id);
}
