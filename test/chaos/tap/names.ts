/** Names for calls that are the same in every run: ids become names, namespaces go. */
import type { Buffer } from "node:buffer";

import { barePath, matchOperation } from "../../../simulator/request/matching.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { member, parseJson, stringMember } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";

const OBJECT = /^\/apis?(?:\/[\w.-]+)?\/v\w+(?:\/namespaces\/[^/]+)?\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/;

/** @returns e.g. "PATCH platformapplications/api/status", "LIST platformprojects", "POST events Created api". */
export function kubeName(method: string, url: string, body: Buffer): string {
  const { pathname, searchParams } = new URL(url, "https://kube");
  const [, plural = pathname, name, subresource] = OBJECT.exec(pathname) ?? [];
  if (method === "GET" && name === undefined) return `${searchParams.has("watch") ? "WATCH" : "LIST"} ${plural}`;
  if (plural === "events") return `${method} events ${eventOf(body)}`;
  if (plural === "namespaces") return `${method} namespaces`;
  return `${method} ${[plural, name, subresource].filter((part) => part !== undefined).join("/")}`;
}

function eventOf(body: Buffer): string {
  const event = fieldsOf(body);
  const name = stringMember(member(event, "regarding"), "name") ?? "";
  return `${stringMember(event, "reason") ?? "again"} ${name}`.trim();
}

/** @returns e.g. "createApplication api": the operation, and what it is about. */
export function platformName(platform: () => Simulator): (method: string, url: string, body: Buffer) => string {
  return (method, url, body) => {
    const path = barePath(url);
    const { sim } = platform();
    const match = matchOperation(method, path, sim.settings.surface);
    const operation = match.is === "operation" ? match.id : `${method} ${path.replaceAll(UUID, "{id}")}`;
    const name = stringMember(fieldsOf(body), "name");
    const known = [...path.matchAll(UUID), ...url.matchAll(UUID)].map(([id]) => nameOn(platform(), id));
    const subject = name ?? known.find((one) => one !== undefined);
    return subject === undefined ? operation : `${operation} ${subject}`;
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The name of an object of the platform; undefined for what has none of its own, as organisations. */
function nameOn({ sim }: Simulator, id: string): string | undefined {
  const { projects, environments, services, clusters } = sim.world;
  return (projects.get(id) ?? environments.get(id) ?? services.get(id) ?? clusters.get(id))?.name;
}

function fieldsOf(body: Buffer): Json | undefined {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}
