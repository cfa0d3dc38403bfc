import { catalog as leaves } from "../hostile/generated/kinds/others.ts";
import { resource } from "../support/kube/manifests.ts";
import type { Sample } from "./sample.ts";

const KIND = "PlatformCatalog";

export const catalogSample: Sample = {
  smallest: {},
  accepted: [
    ["every section", { include: ["Templates", "DatabaseTypes"] }],
    ["labels of its ConfigMap", { configMap: { metadata: { labels: { team: "shop" } } } }],
  ],
  refused: [
    ["half a cluster", { cluster: { provider: "AWS" } }, /cluster.mode: Required/],
    ["an interval of seconds", { interval: "10s" }, /interval.*should match/],
  ],
  duplicates: [["a section twice", { include: ["Templates", "Templates"] }, /include\[1\]: Duplicate value/]],
  rules: 6,
  good: ({ name, spec }) => resource(KIND, name, { include: ["Templates"], ...spec }),
  hostile: ({ name }) => resource(KIND, name, { include: ["Templates"], connectionRef: { name: "constructor" } }),
  writes: [],
  leaves,
};
