/**
 * The findings of kube-score in the rendered chart that are accepted, each with the reason. The chart's README lists
 * them, and a test checks that there are no others.
 */
export const ACCEPTED_FINDINGS: Readonly<Record<string, string>> = {
  "container-image-pull-policy":
    "a tag always names the same version, so a node that has the image does not need the registry; `image.digest` guarantees that",
  "deployment-has-poddisruptionbudget":
    "fails only with `podDisruptionBudget.enabled: false`; a single replica has no PodDisruptionBudget either, since its node could never be drained",
  "deployment-replicas":
    "only one replica reconciles at a time, and the platform works without it for the minute that a new Pod takes; `replicas: 2` shortens that time",
  "pod-networkpolicy":
    "a NetworkPolicy needs a network plugin that enforces it, and the addresses of your API server and platform: `networkPolicy.enabled`",
};
