/** The generated files of the chart. */
import { valuesSchema, valuesYaml } from "./files.ts";
import { generatedPartials } from "./partials.ts";

/** @param crds manifests by file name. @returns the content of every generated file, by path under helm-chart/. */
export function chartFiles(crds: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([
    ["values.yaml", valuesYaml()],
    ["values.schema.json", valuesSchema()],
    ["templates/_generated.tpl", generatedPartials()],
    ...[...crds].map(([name, text]) => [`files/crds/${name}`, text] as const),
  ]);
}
