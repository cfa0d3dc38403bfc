/** Names calls the same in every run: replaces ids by names and drops namespaces. */
import type { Buffer } from "node:buffer";

import { barePath, matchOperation } from "../../../simulator/request/matching.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { member, stringMember, tryParseJson } from "../../../src/kube/api/json.ts";

const OBJECT = /^\/apis?(?:\/[\w.-]+)?\/v\w+(?:\/namespaces\/[^/]+)?\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/;

/** Returns e.g. "PATCH platformapplications/api/status", "LIST platformprojects", "POST events Created api". */
export function kubeName(method: string, url: string, body: Buffer): string {
  const { pathname, searchParams } = new URL(url, "https://kube");
  const [, plural = pathname, name, subresource] = OBJECT.exec(pathname) ?? [];
  if (method === "GET" && name === undefined) return `${searchParams.has("watch") ? "WATCH" : "LIST"} ${plural}`;
  if (plural === "events") return `${method} events ${eventOf(body)}`;
  if (plural === "namespaces") return `${method} namespaces`;
  return `${method} ${[plural, name, subresource].filter((part) => part !== undefined).join("/")}`;
}

function eventOf(body: Buffer): string {
  const event = tryParseJson(body.toString());
  const name = stringMember(member(event, "regarding"), "name") ?? "";
  return `${stringMember(event, "reason") ?? "again"} ${name}`.trim();
}

/** Returns the operation and its object, e.g. "createApplication api". */
export function platformName(platform: () => Simulator): (method: string, url: string, body: Buffer) => string {
  return (method, url, body) => {
    const path = barePath(url);
    const { sim } = platform();
    const match = matchOperation(method, path, sim.settings.surface);
    const operation = match.is === "operation" ? match.id : `${method} ${path.replaceAll(UUID, "{id}")}`;
    const name = stringMember(tryParseJson(body.toString()), "name");
    const names = [...path.matchAll(UUID), ...url.matchAll(UUID)].map(([id]) => nameOf(platform(), id));
    const subject = name ?? names.find((known) => known !== undefined);
    return subject === undefined ? operation : `${operation} ${subject}`;
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the name of a platform object; undefined for an object without one, such as an organization. */
function nameOf({ sim }: Simulator, id: string): string | undefined {
  const { projects, environments, services, clusters } = sim.world;
  return (projects.get(id) ?? environments.get(id) ?? services.get(id) ?? clusters.get(id))?.name;
}
