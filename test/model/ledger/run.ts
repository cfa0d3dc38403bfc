/** Runs the real engine and its writer from the start of a reconcile to the first request without an answer. */
import { INTENT } from "../../../src/api/names.ts";
import { createLocalStates, type LocalState } from "../../../src/engine/context/local-state.ts";
import { Persistence } from "../../../src/engine/context/persistence.ts";
import type { Kind, KindTypes } from "../../../src/engine/contract/kind.ts";
import { recordedIn } from "../../../src/engine/contract/status.ts";
import { DEFAULT_WINDOWS, type Windows } from "../../../src/engine/contract/windows.ts";
import { readSlot, type Intent } from "../../../src/engine/ledger/intent.ts";
import { reconciler } from "../../../src/engine/reconcile/reconcile.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import { member } from "../../../src/kube/api/json.ts";
import { keyOf } from "../../../src/kube/api/objects.ts";
import type { Clock, Json, JsonObject } from "../../../src/kube/api/types.ts";
import { createStore } from "../../../src/kube/watch/store.ts";
import { createWriter } from "../../../src/kube/write/writer.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { apiOver, type WidgetApi } from "../../support/engine/fake-platform.ts";
import { widget } from "../../support/engine/kinds.ts";
import { connectedPorts, QUIET } from "../../support/engine/ports.ts";
import {
  LANDING_TICKS,
  LONG,
  NOTHING,
  TICK,
  numbered,
  type Answer,
  type Command,
  type Memory,
  type Reply,
  type Stand,
  type Start,
} from "./exchange.ts";

/** Rules of the engine's surroundings that a test may break, to check that the model detects it. */
export interface Rules {
  readonly surface: "Documented" | "Full";
  readonly windows: Partial<Windows>;
  /** Whether the fence is respected. */
  readonly fenced: boolean;
  /** The kind that is reconciled. */
  readonly kind: typeof widget;
}

/** The engine's times in the model: those that only reduce the number of writes are 0. */
const WINDOWS: Windows = { ...DEFAULT_WINDOWS, sendMs: TICK, landingMs: LANDING_TICKS * TICK, deferMs: 0, graceMs: 0 };

const TYPE = { group: "test", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
/** Far from zero, as an intent may have been seen before the reconcile began. */
const BASE = 1_000 * TICK;
const NOW = new Date("2026-11-21T10:00:00Z");

/** Runs a reconcile until it needs an answer that is missing, or ends. */
export async function run(broken: Partial<Rules>, start: Start, answers: readonly Answer[]): Promise<Stand> {
  const { surface = "Full", windows, fenced = true, kind = widget } = broken;
  let at = 0;
  let leads = start.leads;
  let asked = 0;
  const store = createStore(() => {});
  store.upsert(start.object);
  let intent: { readonly intent: Intent; readonly since: number } | undefined;
  let warned = false;
  let internal: unknown;
  const parked = Promise.withResolvers<Stand>();

  const ask = (command: Command): Promise<Json> => {
    const answer = answers[asked];
    asked += 1;
    if (answer === undefined) {
      parked.resolve({ is: "parked", command, intent, warned, internal });
      return new Promise(() => {});
    }
    const since = at;
    ({ at, leads } = answer);
    const written = answer.reply.is === "value" ? intentIn(command, answer.reply.value) : undefined;
    if (written !== undefined) intent = { intent: written, since };
    return settled(command, answer.reply);
  };

  const clock: Clock = {
    now: () => NOW,
    monotonic: () => BASE + at * TICK,
    after: (_ms, go) => {
      void ask({ to: "clock" }).then(go);
      return () => {};
    },
  };
  const random = numbered(start.nonce);
  const session = recalled(start, clock);
  const api = apiOver((op, id = "", made = {}) => ask({ to: "platform", op, id, made }));
  const { ports } = await connectedPorts<WidgetApi>(api, surface, {
    cache: store,
    writer: createWriter({
      client: {
        request: ({ method, path, body }) =>
          ask(
            method === "GET"
              ? { to: "kube", method }
              : { to: "kube", method: "PATCH", status: path.endsWith("/status"), body: plain(body) },
          ),
        stream: () => {
          throw new TypeError("nothing is watched");
        },
        watchSilenceMs: () => undefined,
      },
      store,
      types: [TYPE],
      clock,
      random,
    }),
    events: {
      record: ({ type, reason }) => {
        warned ||= type === "Warning" && reason === "Orphaned";
      },
    },
    fence: { mayWrite: () => leads || !fenced, leading: () => leads },
    clock,
    random,
    localStates: { ...createLocalStates(() => clock.monotonic()), of: () => session },
    windows: { ...WINDOWS, ...windows },
    observer: {
      ...QUIET,
      internal: (_key, error) => {
        internal = error;
      },
    },
  });
  const ended = reconciler(
    ports,
    kind as Kind<KindTypes & { readonly api: WidgetApi }>,
  )(keyOf(start.object)).then(
    (again) => again ?? null,
    (error: unknown) => {
      if (!(error instanceof KubeError)) throw error;
      return 1_000;
    },
  );
  return await Promise.race([
    parked.promise,
    ended.then((again): Stand => {
      const object = store.get(keyOf(start.object));
      const isSame = object?.metadata.uid === start.object.metadata.uid;
      const memory = isSame ? remembered(session, clock) : NOTHING;
      return { is: "ended", object, memory, again, warned, internal };
    }),
  ]);
}

/** Returns the intent that a patch wrote. @param stored the object in the answer */
function intentIn(command: Command, stored: Json): Intent | undefined {
  if (command.to !== "kube" || command.method !== "PATCH") return undefined;
  const slot = readSlot(
    command.status
      ? recordedIn({ status: member(stored, "status") }, "intent")
      : member(member(member(stored, "metadata"), "annotations"), INTENT),
  );
  return slot.is === "open" && JSON.stringify(command.body).includes(slot.intent.attempt) ? slot.intent : undefined;
}

async function settled(command: Command, reply: Reply): Promise<Json> {
  switch (reply.is) {
    case "value":
      return await Promise.resolve(reply.value);
    case "kube":
      throw new KubeError(reply.failure, reply.status, "said the model");
    case "platform":
      throw new ApiError(command.to === "platform" ? command.op : "", reply.failure, reply.status, "said the model");
    default:
      return reply satisfies never;
  }
}

function recalled({ object, memory }: Start, clock: Clock): LocalState {
  const { intent } = memory;
  const now = clock.monotonic();
  const fresh = createLocalStates(() => now).of("", object.metadata.uid);
  const seen = intent && { attempt: intent.attempt, at: now - intent.age * TICK };
  const { outcome, unsent, answer, rejected, failures } = memory;
  fresh.rejections.last = rejected;
  fresh.failures.count = failures;
  return Object.assign(fresh, { persistence: new Persistence({ outcome, unsent, answer, seen, delayed: undefined }) });
}

function remembered(session: LocalState, clock: Clock): Memory {
  const { outcome, unsent, answer, seen } = session.persistence.state;
  const intent = seen && {
    attempt: seen.attempt,
    age: Math.min(LONG, (clock.monotonic() - seen.at) / TICK),
  };
  const { rejections, failures } = session;
  return { outcome, unsent, answer, intent, rejected: rejections.last, failures: Math.min(failures.count, 1) };
}

/** Returns the JSON as it is sent: without undefined members. */
function plain(body: Json | undefined): JsonObject {
  return JSON.parse(JSON.stringify(body ?? {})) as JsonObject;
}
