import type { Route } from "../route.ts";
import { applicationRoutes } from "./applications.ts";
import { environmentRoutes } from "./environments.ts";
import { projectRoutes } from "./projects.ts";

/** Every operation that is served, by area. */
export const routes: readonly Route[] = [...projectRoutes, ...environmentRoutes, ...applicationRoutes];
