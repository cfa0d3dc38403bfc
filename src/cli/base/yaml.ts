/** YAML as Kubernetes reads it. */
import { stringify } from "yaml";

/**
 * @returns YAML 1.1, in which texts such as no, on, 2024_10 and 0755 are quoted: kubectl would read them as booleans and
 * numbers (sigs.k8s.io/yaml)
 */
export function yamlText(value: unknown): string {
  return stringify(value, { version: "1.1", lineWidth: 0 });
}
