/** What the image and whatever runs it agree on. */
import { nodeFlags } from "./node-flags.ts";

/** Node, in the image: the one of the build image, whichever base it is put on. */
export const NODE = "/usr/local/bin/node";
/** The bundle, in the image. */
export const PROGRAM = "/app/operator.js";
/** Where the kubelet puts the token of the ServiceAccount (Kubernetes: "Accessing the API from a Pod"). */
export const TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Of nobody on the node (distroless: "nonroot"). */
export const USER = 65_532;
/** The image's entry point and the Deployment's command. No PATH and no shell is asked for it. */
export const COMMAND: readonly string[] = [NODE, ...nodeFlags([PROGRAM, TOKEN_FOLDER]), PROGRAM];
