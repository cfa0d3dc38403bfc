import { project as leaves } from "../hostile/generated/kinds/tree.ts";
import { project } from "../support/kube/manifests.ts";
import { NOWHERE, type Sample } from "./sample.ts";

export const projectSample: Sample = {
  smallest: { name: "shop" },
  accepted: [],
  refused: [
    ["deletion policy Stop", { lifecycle: { deletionPolicy: "Stop" } }, /deletionPolicy: Unsupported value/],
    ["a name with a line break", { name: "a\nb" }, /name.*should match/],
    ["an empty name", { name: "" }, /name.*should match/],
  ],
  rules: 4,
  good: ({ name, spec }) => project(name, spec),
  hostile: ({ name }) => project(name, { externalId: NOWHERE }),
  writes: ["createProject"],
  change: () => ({ description: "changed" }),
  changes: ["updateProject"],
  leaves,
};
