/** What an open line shows of one object: its conditions, events and deployments, and the link to the console. Pure. */
import { z } from "zod";

import { recordedIdentityIn, recordedIdIn } from "../../engine/contract/status.ts";
import { listMember, member, stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { cleanText } from "../../text/text.ts";
import { conditionViews } from "../tree/summary.ts";
import type { Detail, PageDeployment, PageEvent } from "./shape.ts";

/** The largest size of a text in bytes. */
const MAX_TEXT = 1_024;

/** URLs of the platform's console by kind, with the placeholders {organizationId}, {parentId} and {id}. */
export type ConsoleLinks = ReadonlyMap<string, string>;

/** @param events of the object, newest first */
export function detailOf(object: KubeObject, events: readonly PageEvent[], links: ConsoleLinks): Detail {
  return {
    conditions: conditionViews(object).map(({ type, status, reason, message, lastTransitionTime }) => {
      return { type, status, reason, message: cleanText(message, MAX_TEXT), since: lastTransitionTime };
    }),
    events: events.map(({ type, reason, note, count, lastObservedTime }) => {
      return { type, reason, note, count, lastObservedTime };
    }),
    deployments: deploymentsOf(object),
    consoleUrl: consoleUrl(object, links),
  };
}

const text = z.string().catch("");
const deployment = z.object({ commit: text, state: text, at: text, seconds: z.number().optional().catch(undefined) });

/** @returns the last deployment and the earlier ones, newest first */
function deploymentsOf({ status }: KubeObject): readonly PageDeployment[] {
  const last = member(status, "lastDeployment");
  const startedAt = stringMember(last, "startedAt") ?? "";
  const finishedAt = stringMember(last, "finishedAt") ?? "";
  const took = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
  const newest = {
    commit: stringMember(last, "gitCommitId") ?? "",
    state: stringMember(last, "state") ?? "",
    at: finishedAt || startedAt,
    ...(took >= 0 && { seconds: Math.round(took) }),
  };
  const earlier = listMember(status, "history").flatMap((entry) => deployment.safeParse(entry).data ?? []);
  return [...(newest.at === "" ? [] : [newest]), ...earlier];
}

/** @returns the address of the object in the console; undefined without a link for its kind, or one of its ids */
function consoleUrl(object: KubeObject, links: ConsoleLinks): string | undefined {
  const ids: Readonly<Record<string, string | undefined>> = {
    organizationId: recordedIdentityIn(object, "organizationId"),
    parentId: recordedIdentityIn(object, "parentId"),
    id: recordedIdIn(object),
  };
  let isComplete = true;
  const url = links.get(object.kind)?.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    isComplete &&= ids[name] !== undefined;
    return encodeURIComponent(ids[name] ?? "");
  });
  return isComplete ? url : undefined;
}
