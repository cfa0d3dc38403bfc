import { z } from "zod";

import { type Surface, surfaces } from "./operations.ts";
import { SwitchedOff } from "./switched-off.ts";

const nth = z.int().min(0).describe("every how many deliveries; 0 for none");

/** How events are delivered to webhooks, with faults. All times are real. */
export const DeliverySettings = z.strictObject({
  /** The largest number of attempts of a delivery; a 2xx answer ends them. */
  attempts: z.int().min(1),
  /** The wait before the second attempt; it doubles before each further one. */
  backoffSeconds: z.number().min(0),
  timeoutSeconds: z.number().positive(),
  /** How often each delivery is sent, whatever the answer: 2 sends a duplicate of each. */
  copies: z.int().min(1).max(10),
  /** Which deliveries are late, and by how much: they arrive after deliveries of later events. */
  lateEvery: nth,
  lateSeconds: z.number().min(0),
  /** Which deliveries are never sent. */
  loseEvery: nth,
  /** The header with the secret of a registration; descriptions of its name differ. */
  secretHeader: z.enum(["platform-signature", "platform-secret"]),
});
export type DeliverySettings = z.infer<typeof DeliverySettings>;

/** Deliveries without faults. */
export const reliableDeliveries: DeliverySettings = {
  attempts: 5,
  backoffSeconds: 1,
  timeoutSeconds: 5,
  copies: 1,
  lateEvery: 0,
  lateSeconds: 2,
  loseEvery: 0,
  secretHeader: "platform-signature",
};

const seconds = z.number().min(0);

/** The form of the answers where the documentation and deployed services differ. */
export const Profile = z.strictObject({
  /** seed: 200 for every success; public: 201 and 202 as deployed services answer. Deletions are 204 in both. */
  statusCodes: z.enum(["seed", "public"]),
  routerKey: z.enum(["router_id", "routerId"]),
  /** The member that holds an error's text; none: no text; bare: neither text nor status. */
  errorText: z.enum(["message", "detail", "none", "bare"]),
  /** Where a 422 names the fields that it rejects: in its text, or in a list `errors`. */
  rejections: z.enum(["text", "list"]),
  /**
   * seed: records with the documented members, creation bodies as in the documentation's examples;
   * public: more members (scope, status details, …), `healthchecks` and `git_repository.provider` required.
   */
  records: z.enum(["seed", "public"]),
  /** whole: an application status like the answer of a deploy; partial: only the four members of the usage guide. */
  applicationStatus: z.enum(["whole", "partial"]),
  /** The form of helm default values: a JSON string literal or raw text. */
  helmValues: z.enum(["json", "text"]),
  /**
   * The answer to the creation of a blueprint with a deployment: its record, its record with state and request id of
   * the deployment, the status of its service, the ids of the deployment, or no body.
   */
  blueprintDeployed: z.enum(["record", "both", "status", "ids", "none"]),
});
export type Profile = z.infer<typeof Profile>;

/** How long work takes, in seconds at speed 1. */
export const Durations = z.strictObject({
  queue: seconds,
  build: seconds,
  deploy: seconds,
  execute: seconds,
  stop: seconds,
  restart: seconds,
  delete: seconds,
  cancel: seconds,
  /** A cluster's deploy, stop or upgrade. */
  cluster: seconds,
  /** From a binding until its layers are on; 0 by default, as the spec's answer to the PUT shows ENABLED. */
  layers: seconds,
});
export type Durations = z.infer<typeof Durations>;

/** The number of calls that one token may make. */
export const RateBudget = z.strictObject({
  limit: z.int().min(0),
  windowSeconds: z.number().positive(),
  /** The value of X-RateLimit-Reset: seconds to wait, a Unix timestamp, or no header. */
  reset: z.enum(["seconds", "epoch", "absent"]),
});
export type RateBudget = z.infer<typeof RateBudget>;

/** Everything about the platform's behavior that can be switched while it runs. */
export const Settings = z.strictObject({
  surface: z.enum(surfaces),
  /** Operations that answer as if they did not exist, or not for this caller. */
  switchedOff: SwitchedOff,
  /**
   * Whether requests are checked by the description of the surface: on the documented one, with documented records, for
   * members that it does not have; on the full one, with public records, for required members and enumerations.
   */
  strictRequests: z.boolean(),
  /** Binding layers whose status and reason are given, by their key. */
  layerStatuses: z.record(z.string(), z.strictObject({ status: z.string(), reason: z.string() })),
  /** Whether services have an ingress; without one its status is 404. */
  ingresses: z.boolean(),
  /** The message that refuses the stop of a stopped service. */
  alreadyStopped: z.string(),
  profile: Profile,
  durations: Durations,
  /** What happens to a request while another one for its service is in progress. */
  queueMode: z.enum(["queue", "strict"]),
  /** Whether statuses show null for deployment_request_id. */
  nullRequestIds: z.boolean(),
  /** Real seconds for which statuses still show the old state after a request was accepted. */
  acceptLatencySeconds: seconds,
  /** Real seconds for which lists do not show a new object. */
  listLagSeconds: seconds,
  /** The largest number of items in a list, as of a platform with undocumented pages; null for no limit. */
  pageLength: z.int().positive().nullable(),
  /** Whether names must be unique among the objects of a parent. */
  uniqueNames: z.boolean(),
  /** The answer for a deleted project, and for objects of a deleted parent. */
  goneAs: z.union([z.literal(404), z.literal(403)]),
  /** failed: the catalog answers 500; unavailable: 503. */
  catalog: z.enum(["ok", "failed", "unavailable"]),
  /** How long a cluster's token is valid, in real seconds. */
  tokenLifeSeconds: seconds,
  /** Names that an import skips without a reason in its answer. */
  refusedVariables: z.array(z.string()),
  rate: RateBudget.nullable(),
  deliveries: DeliverySettings,
});
export type Settings = z.infer<typeof Settings>;

/** A change of settings: absent members stay unchanged. */
export const SettingsChange = z.strictObject({
  ...Settings.partial().shape,
  profile: Profile.partial().optional(),
  durations: Durations.partial().optional(),
  deliveries: DeliverySettings.partial().optional(),
});
export type SettingsChange = z.infer<typeof SettingsChange>;

/** @returns the default profile of a surface: as documented, or as deployed services answer */
export function profileOf(surface: Surface): Profile {
  if (surface === "documented") {
    return {
      statusCodes: "seed",
      routerKey: "router_id",
      errorText: "message",
      rejections: "text",
      records: "seed",
      applicationStatus: "whole",
      helmValues: "json",
      blueprintDeployed: "record",
    };
  }
  return {
    statusCodes: "public",
    routerKey: "routerId",
    errorText: "detail",
    rejections: "text",
    records: "public",
    applicationStatus: "whole",
    helmValues: "text",
    blueprintDeployed: "record",
  };
}

/** @returns the settings that a platform starts with. */
export function settingsOf(surface: Surface): Settings {
  return {
    surface,
    switchedOff: {},
    strictRequests: true,
    layerStatuses: {},
    ingresses: true,
    alreadyStopped: "The service is already stopped",
    profile: profileOf(surface),
    durations: {
      queue: 2,
      build: 20,
      deploy: 10,
      execute: 5,
      stop: 5,
      restart: 5,
      delete: 5,
      cancel: 2,
      cluster: 60,
      layers: 0,
    },
    queueMode: "queue",
    nullRequestIds: false,
    acceptLatencySeconds: 0,
    listLagSeconds: 0,
    pageLength: null,
    uniqueNames: true,
    goneAs: 404,
    catalog: "ok",
    tokenLifeSeconds: 3600,
    refusedVariables: [],
    rate: null,
    deliveries: { ...reliableDeliveries },
  };
}

/** @returns the surface by whose description requests are checked; undefined where they are not checked */
export function checkedAs({ strictRequests, surface, profile }: Settings): Surface | undefined {
  const isOwnProfile = profile.records === (surface === "full" ? "public" : "seed");
  return strictRequests && isOwnProfile ? surface : undefined;
}

/** Changes settings in place. A new surface sets its default profile unless the change has a profile. */
export function changeSettings(settings: Settings, change: SettingsChange): void {
  const { profile, durations, deliveries, ...rest } = change;
  const base = change.surface === undefined ? settings.profile : profileOf(change.surface);
  Object.assign(settings, defined(rest));
  settings.profile = { ...base, ...defined(profile ?? {}) };
  settings.durations = { ...settings.durations, ...defined(durations ?? {}) };
  settings.deliveries = { ...settings.deliveries, ...defined(deliveries ?? {}) };
}

function defined<T extends object>(value: T): { [Key in keyof T]?: NonNullable<T[Key]> | Extract<T[Key], null> } {
  const kept: { [Key in keyof T]?: NonNullable<T[Key]> | Extract<T[Key], null> } = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) Object.assign(kept, { [key]: member });
  }
  return kept;
}
