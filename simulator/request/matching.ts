import { operations, type OperationId, type Surface } from "../base/operations.ts";

/** The prefix of the same paths in the usage guide. */
export const versionPrefix = "/api/v1";

/** The result of matching a method and a path on a surface. */
export type Match =
  | { readonly is: "operation"; readonly id: OperationId }
  | { readonly is: "method-not-allowed"; readonly allow: readonly string[] }
  | { readonly is: "unknown" };

const compiled = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  parameters: operation.path.split("{").length,
}));

/** @returns the path without query and version prefix. */
export function barePath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  return path.startsWith(`${versionPrefix}/`) ? path.slice(versionPrefix.length) : path;
}

/** @param path without prefix and query @returns "unknown" for a path of the full surface on the documented one */
export function matchOperation(method: string, path: string, surface: Surface): Match {
  const found = compiled
    .filter(({ operation, pattern }) => isServed(operation.surface, surface) && pattern.test(path))
    .sort((a, b) => a.parameters - b.parameters);
  const exact = found.find(({ operation }) => operation.method === method);
  if (exact !== undefined) return { is: "operation", id: exact.operation.id };
  if (found.length === 0) return { is: "unknown" };
  return { is: "method-not-allowed", allow: found.map(({ operation }) => operation.method) };
}

/** @returns whether an operation of the surface `of` exists when the platform serves `surface` */
export function isServed(of: Surface, surface: Surface): boolean {
  return of === "documented" || surface === "full";
}
