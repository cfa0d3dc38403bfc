/** What is known of the platform's surface when something is sent that only the full one requires. */
import type { JsonObject, Pass } from "../engine/kind.ts";

export type SurfaceFacts = Pick<Pass<unknown, unknown, JsonObject>, "surface" | "isSurfaceOpen">;

/** Whether the surface is full, or may be, as nothing is known yet: the documented one does not mind a member more. */
export function mayBeFull({ surface, isSurfaceOpen }: SurfaceFacts): boolean {
  return surface === "Full" || isSurfaceOpen === true;
}
