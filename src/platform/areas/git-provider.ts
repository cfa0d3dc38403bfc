/**
 * Deployed services want the hosting provider beside a repository's URL (docs/architecture.md §9), the spec does not
 * name it.
 */
const PROVIDERS = ["GITHUB", "GITLAB", "BITBUCKET"] as const;
const SCP_FORM = /^[^/@]+@([^/:]+):/; // git@host:owner/name.git

/** Derives the provider from the host name, as the public clients do. @returns undefined for other hosts. */
export function gitProvider(url: string): (typeof PROVIDERS)[number] | undefined {
  const host = SCP_FORM.exec(url)?.[1] ?? (URL.canParse(url) ? new URL(url).hostname : "");
  return PROVIDERS.find((provider) => host.toLowerCase().includes(provider.toLowerCase()));
}
