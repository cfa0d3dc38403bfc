/** Documents as YAML with comments. Pure. */
import { stringify } from "yaml";

import { printable } from "../../../text/text.ts";
import type { Document } from "./manifests.ts";

/** @param header sentences at the top. @returns YAML that `kubectl apply` takes. */
export function yamlOf(documents: readonly Document[], header: readonly string[]): string {
  const parts = documents.map(({ comments, manifest, disabled }) => {
    const yaml = manifest === undefined ? "" : stringify(manifest, { lineWidth: 0 });
    return comments.map(comment).join("") + (disabled === true ? commented(yaml) : yaml);
  });
  return header.map(comment).join("") + parts.map((part) => `---\n${part}`).join("");
}

/** One line a sentence: nothing in the platform's texts may end it. */
function comment(sentence: string): string {
  return `# ${printable(sentence)}\n`;
}

function commented(yaml: string): string {
  return yaml.replaceAll(/^(?=.)/gm, "# ");
}
