/** The settings that the engine needs of a connection's spec. */
import type { Resource } from "../../api/resource.ts";
import type { ConnectionSettings, PolicyDefaults } from "../../engine/contract/connection.ts";
import type { ConnectionSpec } from "./crd.ts";

/** Returns what the engine needs of a connection's spec. */
export function connectionSettings(spec: ConnectionSpec, scope: Resource["scope"]): ConnectionSettings {
  const { proxy, caBundle } = spec;
  return {
    baseUrl: spec.baseUrl,
    pathPrefix: spec.pathPrefix,
    organizationId: spec.organizationId,
    scheme: spec.auth.scheme,
    tokenSecret: spec.auth.tokenSecretRef,
    requestsPerSecond: spec.rateLimit?.requestsPerSecond,
    burst: spec.rateLimit?.burst,
    surface: spec.surface,
    ...limitsOf(spec, scope),
    defaults: defaultsOf(spec.defaults),
    proxy: proxy && { url: proxy.url, secretName: proxy.secretRef?.name },
    caBundle: caBundle && { pem: caBundle.pem, configMap: caBundle.configMapKeyRef },
  };
}

/** Returns what resources that use the connection may refer to, and who may use it. */
function limitsOf(spec: ConnectionSpec, scope: Resource["scope"]) {
  const { allowedNamespaces: allowed, allowedProjects } = spec;
  return {
    allowUnverifiedIds: spec.allowUnverifiedIds ?? (scope === "Namespaced" && allowedProjects === undefined),
    allowedProjects,
    allowedSecrets: spec.allowedSecrets?.matchLabels,
    allowedNamespaces: allowed && {
      ...namespacesOf(allowed),
      limited: (allowed.limited ?? []).map((entry) => ({
        ...namespacesOf(entry),
        allowedProjects: entry.allowedProjects,
      })),
    },
  };
}

function namespacesOf({ names = [], selector }: NonNullable<ConnectionSpec["allowedNamespaces"]>) {
  return { names, matchLabels: selector?.matchLabels };
}

function defaultsOf({ lifecycle = {}, pollInterval, logs }: ConnectionSpec["defaults"] = {}): PolicyDefaults {
  return { lifecycle, pollInterval, failureLogLines: logs?.onFailure };
}
