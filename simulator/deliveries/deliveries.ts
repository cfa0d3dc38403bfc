import type { Clock } from "../base/clock.ts";
import { nextDeployment } from "../lifecycle/deployments.ts";
import { advance } from "../lifecycle/transitions.ts";
import type { Machine, Transition } from "../model/machine.ts";
import type { Webhook } from "../model/world.ts";
import { messagesOf, type Message } from "./delivery-events.ts";
import { post, type Ended } from "./delivery-post.ts";

/** One attempt of one delivery, or a lost delivery. */
export interface DeliveryEntry {
  readonly seq: number;
  /** Wall-clock time of the end of the attempt, ISO 8601. */
  readonly at: string;
  readonly webhookId: string;
  readonly event: string;
  readonly body: unknown;
  /** Counted from 1; 0 for a lost delivery. */
  readonly attempt: number;
  readonly ended: Ended | "lost";
}

/** Delivers events of deployments to webhooks. */
export interface Deliveries {
  /** Must be called for every change of state, before reads show it. */
  notify(transition: Transition): void;
  /** Must be called for a new webhook: from now on the platform advances by itself, not only when it is read. */
  kick(): void;
  /** All attempts so far, in the order of their ends. */
  list(): readonly DeliveryEntry[];
  /** Forgets the attempts so far. */
  clear(): void;
  /** Stops sending. */
  stop(): void;
}

/** The longest wait before the next step is checked again, as the speed of the platform may change. */
const longestNapMs = 250;

/** @returns the deliveries of a platform, none yet */
export function createDeliveries(machine: Machine, clock: Clock): Deliveries {
  const timers = new Set<() => void>();
  let entries: DeliveryEntry[] = [];
  let seq = 0;
  let count = 0;
  let napping = false;
  let stopped = false;

  const after = (ms: number, run: () => void): void => {
    if (stopped) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
  };

  const kick = (): void => {
    const due = nextDeployment(machine)?.dueAt;
    if (napping || due === undefined || machine.world.webhooks.size === 0) return;
    napping = true;
    const speed = machine.time.speed();
    const ms = (due - machine.time.virtual()) / (speed === "instant" ? 1 : speed);
    after(Math.min(longestNapMs, Math.max(0, ms)), () => {
      napping = false;
      advance(machine);
      kick();
    });
  };

  const record = (webhook: Webhook, { event, body }: Message, attempt: number, ended: DeliveryEntry["ended"]): void => {
    seq += 1;
    entries.push({ seq, at: machine.time.wall().toISOString(), webhookId: webhook.id, event, body, attempt, ended });
  };

  const attempt = async (webhook: Webhook, message: Message, tries: number): Promise<void> => {
    const { attempts, backoffSeconds, timeoutSeconds, secretHeader } = machine.settings.deliveries;
    const secret = webhook.settings["target_secret"];
    const headers: Record<string, string> = typeof secret === "string" ? { [secretHeader]: secret } : {};
    const ended = await post(clock, webhook.targetUrl, headers, JSON.stringify(message.body), timeoutSeconds * 1_000);
    if (stopped) return;
    record(webhook, message, tries, ended);
    const taken = typeof ended === "number" && ended >= 200 && ended < 300;
    if (taken || ended === "refused" || tries >= attempts) return;
    after(backoffSeconds * 1_000 * 2 ** (tries - 1), () => void attempt(webhook, message, tries + 1));
  };

  const deliver = (webhook: Webhook, message: Message): void => {
    const { copies, lateEvery, lateSeconds, loseEvery } = machine.settings.deliveries;
    count += 1;
    if (isNth(count, loseEvery)) {
      record(webhook, message, 0, "lost");
      return;
    }
    const ms = isNth(count, lateEvery) ? lateSeconds * 1_000 : 0;
    for (let copy = 0; copy < copies; copy += 1) after(ms, () => void attempt(webhook, message, 1));
  };

  return {
    notify: (transition) => {
      const request = transition.subject === "request" ? machine.world.requests.get(transition.id) : undefined;
      for (const message of request === undefined ? [] : messagesOf(machine, request, transition)) {
        for (const webhook of machine.world.webhooks.values()) {
          const { enabled, events, organizationId } = webhook;
          const wanted = enabled && organizationId === request?.organizationId && events.includes(message.event);
          if (wanted) deliver(webhook, message);
        }
      }
      // The current change is visible only after it has ended.
      after(0, kick);
    },
    kick,
    list: () => entries,
    clear: () => {
      entries = [];
    },
    stop: () => {
      stopped = true;
      for (const cancel of timers) cancel();
    },
  };
}

function isNth(count: number, every: number): boolean {
  return every > 0 && count % every === 0;
}
