/** What the kinds read from a platform that answers anything of the right shape, for property tests. */
import { z } from "zod";

import { WRITE_LEDGER } from "../../src/api/status.ts";
import type { ProbeReport } from "../../src/engine/contract/connection.ts";
import type { Kind, KindTypes, ReconcileContext } from "../../src/engine/contract/kind.ts";
import type { ConnectionMemory, ConnectionSpec } from "../../src/kinds/connection/crd.ts";
import { CONNECTIONS, createKinds, type KindName } from "../../src/kinds/index.ts";
import { isObject } from "../../src/kube/api/json.ts";
import { clusterStates, serviceStates } from "../../src/platform/codec/states.ts";
import type { Platform } from "../../src/platform/index.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../../src/platform/transport/http.ts";
import { SAMPLES } from "../samples/index.ts";
import { buildContext } from "../support/kinds/contexts.ts";
import { resolvedNeeds } from "../support/kinds/kind-runner.ts";
import { adminOf } from "../support/platform/client.ts";
import { startHarness } from "../support/platform/env.ts";

/** A value that no status may contain: those of all Secrets, and a part of an address. */
export const SECRET = "s3cret-value";

/** Draws a number below another one. */
type Draw = (below: number) => number;

function pick<T>(draw: Draw, items: readonly T[]): T {
  return items[draw(items.length)]!;
}

/** What makes a text, an address or a count invalid or too long. */
const ODD_TEXTS = ["", "\uD83D", "😀".repeat(800), "x".repeat(5_000), '{"a":1}', "__proto__", "\u0000\u202E"];
const ODD_NUMBERS = [-5, -1, 0, 1, 3, 0.5, 1e300];

function oddText(draw: Draw): string {
  const units = Array.from({ length: draw(20) }, () => draw(pick(draw, [0x80, 0x1_0000])));
  return pick(draw, [...ODD_TEXTS, String.fromCharCode(...units)]);
}

/** Plausible texts for members by their names. */
const TEXTS: readonly (readonly [name: RegExp, texts: readonly string[]])[] = [
  [/(At|Since|[Dd]ate|Timestamp)$/, ["2026-11-21T09:01:00.000Z", "2026-11-21T09:59:00.123456Z"]],
  [/[Ss]tat(e|us)$/, ["DEPLOYED", "STOPPED", "UP_TO_DATE", "OUT_OF_DATE", ...serviceStates, ...clusterStates]],
  [/^(token|access_?key_?id)$/i, [SECRET]],
  [/^target_?url$/i, ["https://x.example", `https://u:${SECRET}@x.example/${SECRET}?q=1`]],
  [/[Vv]ersion$/, ["1.33", "1.34", "1.35"]],
  [/[Cc]ommit/, ["1a2b3c4", "feedface"]],
  [/^(key|digest|sources)$/, ["same", "same", "old"]],
  [/^/, ["main", "[null,null,null]"]],
];

function textFor(draw: Draw, name: string): string {
  return pick(draw, TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? []);
}

/** Draws what a valid answer is with other values and without some members; ids stay, and most names. */
function altered(draw: Draw, value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.slice(0, 5).map((item: unknown) => altered(draw, item, name));
  if (isObject(value)) {
    const kept = Object.entries(value).filter(([key]) => /id$|^name$/i.test(key) || draw(16) > 0);
    return Object.fromEntries(kept.map(([key, one]) => [key, altered(draw, one, key)]));
  }
  if (/(?<!key_?)id$/i.test(name) || draw(name === "name" ? 6 : 2) > 0) return value;
  if (typeof value === "number") return pick(draw, ODD_NUMBERS);
  return typeof value === "boolean" ? draw(2) === 0 : draw(4) > 0 ? textFor(draw, name) : oddText(draw);
}

type Ids = Readonly<Record<string, string>>;

function idFor(draw: Draw, name: string, { aRequest = "", ...others }: Ids): string {
  return /request/i.test(name) ? aRequest : pick(draw, Object.values(others));
}

/** Draws a value of a member of a status. */
function valueOf(draw: Draw, schema: unknown, name: string, ids: Ids): unknown {
  const inside = (inner: unknown): unknown => valueOf(draw, inner, name, ids);
  if (schema instanceof z.ZodOptional) return draw(3) === 0 ? undefined : inside(schema.unwrap());
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([key, one]) => [key, valueOf(draw, one, key, ids)]));
  if (schema instanceof z.ZodArray) return Array.from({ length: draw(3) }, () => inside(schema.element));
  if (schema instanceof z.ZodRecord) return { [textFor(draw, "")]: inside(schema.valueType) };
  if (schema instanceof z.ZodEnum) return pick(draw, schema.options);
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodBoolean) return draw(2) === 0;
  if (schema instanceof z.ZodNumber) return draw(4);
  if (schema instanceof z.ZodString) return /id$/i.test(name) ? idFor(draw, name, ids) : textFor(draw, name);
  throw new TypeError(`no value for ${name}`);
}

/** Values of members, as far as a kind has them, that are longer than a status may repeat. */
const LONG = {
  runState: "Stopped",
  name: "😀".repeat(100),
  description: "😀".repeat(500),
  targetUrl: `https://u:${SECRET}@x.example/${SECRET}`,
  variables: Array.from({ length: 40 }, (_, index) => ({
    name: `KEY_${index}_${"X".repeat(200)}`,
    valueFrom: { secretKeyRef: { name: "s", key: "k" } },
  })),
};

/** A kind of connections as one that observes by its probe. */
function observing(connections: (typeof CONNECTIONS)[keyof typeof CONNECTIONS]): Kind {
  type Types = KindTypes & { spec: ConnectionSpec; memory: ConnectionMemory; observed: ProbeReport; api: Platform };
  const kind: Kind<Types> = {
    resource: connections.resource,
    claim: () => undefined,
    needs: () => ({ references: [], values: [], inputs: () => ({}) }),
    observe: ({ spec }, api) => connections.probe(spec, api),
    plan: (_context, { refusal }) => (refusal === undefined ? { is: "settled" } : { is: "stalled", why: refusal }),
    act: () => Promise.reject(new TypeError("a connection has no steps")),
    trace: () => Promise.resolve({ is: "absent" }),
    report: () => ({
      ready: { reason: "Available", message: "The platform is reachable." },
      conditions: [],
      status: {},
    }),
  };
  return kind;
}

const KINDS: Readonly<Record<KindName, Kind>> = {
  ClusterPlatformConnection: observing(CONNECTIONS.ClusterPlatformConnection),
  PlatformConnection: observing(CONNECTIONS.PlatformConnection),
  ...createKinds(),
};

/** Returns the valid specs that a kind's sample leads to, with the id and the name of the object where it has to have them. */
function specsOf(name: KindName, own: { readonly externalId: string; readonly name: string }): readonly unknown[] {
  const { smallest, accepted } = SAMPLES[name];
  const required = Object.fromEntries(Object.entries(own).filter(([member]) => member in smallest));
  const changes = accepted.map(([, change]) => change);
  const single = changes.flatMap((change) => Object.entries(change).map(([member, value]) => ({ [member]: value })));
  return [{}, ...changes, ...single, LONG]
    .map((change) => KINDS[name].resource.spec.safeParse({ ...smallest, ...required, ...change }))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** Draws the context of a reconcile. */
function contextOf(draw: Draw, name: KindName, specs: readonly unknown[], ids: Ids) {
  const kind = KINDS[name];
  const id = ids[name];
  const spec = pick(draw, specs);
  const needs = kind.needs(spec);
  const { references, values } = needs;
  const given = {
    ids: Object.fromEntries(references.map((one) => [one.field, ids[one.kind] ?? ""])),
    values: Object.fromEntries(values.map(({ field }) => [field, SECRET])),
    all: Object.fromEntries(values.map(({ field }) => [field, { A: SECRET }])),
  };
  const { memory, status } = kind.resource;
  const remembered = Object.keys(memory instanceof z.ZodCatch ? (memory.unwrap() as z.ZodObject).shape : {});
  const ledger = status.shape[WRITE_LEDGER];
  const recorded = ledger instanceof z.ZodOptional ? (ledger.unwrap() as z.ZodObject).shape : {};
  const members: z.ZodRawShape = { ...status.shape, ...recorded };
  const held = remembered.map((member) => [member, valueOf(draw, members[member], member, ids)]);
  const surface = pick(draw, ["Documented", "Full", "Full"] as const);
  const context = buildContext<ReconcileContext>({
    id,
    identitySource:
      id === undefined ? undefined : pick(draw, ["recorded", "recorded", "recorded", "claimed", "given"] as const),
    spec,
    inputs: needs.inputs(resolvedNeeds(given, () => ({ key: "same", digest: "same", sources: "same" }))),
    memory: memory.parse(Object.fromEntries(held)),
    goal: pick(draw, ["present", "present", "present", "absent", "stopped"] as const),
    onMissing: pick(draw, ["Fail", "Recreate"] as const),
    surface,
    now: new Date("2026-11-21T10:00:00Z"),
  });
  return { kind, context, surface };
}

export type HostilePlatform = Awaited<ReturnType<typeof startHostilePlatform>>;
export type Look = ReturnType<HostilePlatform["look"]>;

/** Starts a platform with an object of each kind that has objects there. */
export async function startHostilePlatform() {
  const { simulator, admin, close, ...made } = await startHarness("full", "");
  const { id: blueprint } = await admin.blueprints.create(
    made.environmentId,
    { name: "cache", tag: "redis/3.0.0", icon: "https://icons.example.com/x.svg" },
    { deploy: true },
  );
  const webhook = await admin.webhooks.create(
    { targetUrl: "https://x.example", events: ["DEPLOYMENT_STARTED"], enabled: true },
    { extended: true },
  );
  const { deploymentRequestId } = await admin.applications.status(made.applicationId);
  const ids: Ids = {
    PlatformProject: made.projectId,
    PlatformEnvironment: made.environmentId,
    PlatformApplication: made.applicationId,
    PlatformDatabase: made.databaseId,
    PlatformBlueprint: blueprint ?? "",
    PlatformCluster: made.clusterIds[0],
    PlatformWebhook: webhook.id,
    aRequest: deploymentRequestId ?? "",
  };
  const valid = new Map<string, HttpAnswer>();
  const answerTo = async (draw: Draw, { url, headers }: HttpRequest): Promise<HttpAnswer> => {
    const answer = valid.get(url) ?? (await ask(url, headers));
    valid.set(url, answer);
    if (answer.status !== 200) return answer;
    return draw(21) === 0
      ? { ...answer, status: 404 }
      : { ...answer, text: JSON.stringify(altered(draw, JSON.parse(answer.text))) };
  };
  const { projects, environments, services } = simulator.world();
  const names = new Map([...projects, ...environments, ...services].map(([id, { name }]) => [id, name]));
  const specs = Object.fromEntries(
    Object.keys(KINDS).map((kind) => {
      const externalId: string = ids[kind] ?? "";
      return [kind, specsOf(kind as KindName, { externalId, name: names.get(externalId) ?? "thing" })];
    }),
  );
  return {
    /** A reconcile that begins, of the object of a kind. */
    look: (numbers: Iterator<number, number>, name: KindName) => {
      const draw: Draw = (below) => numbers.next().value % below;
      const { kind, context } = contextOf(draw, name, specs[name] ?? [], ids);
      const answers = new Map<string, HttpAnswer>();
      const transport: Transport = {
        exchange: async (request) => {
          const answer = answers.get(request.url) ?? (await answerTo(draw, request));
          answers.set(request.url, answer);
          return answer;
        },
        close: async () => {},
      };
      return {
        kind,
        context,
        /** Reads the platform, which always gives the same answer to the same request. @throws ApiError */
        observe: (of: ReconcileContext) => kind.observe(of, adminOf(simulator, { transport })),
      };
    },
    close,
  };
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
  const answer = await fetch(url, { headers: { ...headers, connection: "close" } });
  return { status: answer.status, text: await answer.text(), header: () => undefined };
}
