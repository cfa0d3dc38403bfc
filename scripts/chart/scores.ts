/**
 * What kube-score finds in the rendered chart and stays, each with the reason: the chart's README tells them, a test
 * holds that there are no others.
 */
export const ACCEPTED_FINDINGS: Readonly<Record<string, string>> = {
  "container-image-pull-policy":
    "a tag names one version for good, so a node that has the image does not need the registry; `image.digest` makes that certain",
  "deployment-has-poddisruptionbudget":
    "only where `podDisruptionBudget.enabled: false` asks for none; one replica has none either, since it could never be drained",
  "deployment-replicas":
    "one replica works at a time, and the platform goes on without it for the minute that a new Pod takes; `replicas: 2` shortens that",
  "pod-networkpolicy":
    "a NetworkPolicy needs a network plugin that enforces it, and the addresses of your API server and platform: `networkPolicy.enabled`",
};
