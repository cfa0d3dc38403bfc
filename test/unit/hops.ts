/** The tables of hops in docs/project/architecture.md §2. */
import { textOf } from "./repository.ts";

/**
 * Returns the files, relative to src/, that each of the three sections names.
 * @throws Error if the page lacks one
 */
export function hopsIn(): Readonly<Record<Case, readonly string[]>> {
  const [, redeployment, create, deletion] =
    /^### A redeployment(.*?)^### A create(.*?)^### A deletion(.*?)^#/ms.exec(textOf("docs/project/architecture.md")) ??
    [];
  if (redeployment === undefined || create === undefined || deletion === undefined)
    throw new Error("docs/project/architecture.md lacks a table of hops");
  return { redeployment: filesNamed(redeployment), create: filesNamed(create), deletion: filesNamed(deletion) };
}

type Case = "redeployment" | "create" | "deletion";

function filesNamed(text: string): readonly string[] {
  return [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
}
