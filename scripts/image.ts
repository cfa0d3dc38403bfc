/** Paths, user and command of the image, for the image and the manifests that run it. */
import { nodeFlags } from "./node-flags.ts";

/** Node in the image, copied from the build image. */
export const NODE = "/usr/local/bin/node";
/** The bundle in the image. */
export const PROGRAM = "/app/operator.js";
/** Where the kubelet puts the token of the ServiceAccount (Kubernetes: "Accessing the API from a Pod"). */
export const TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** A user id that no user of the node has (distroless: "nonroot"). */
export const USER = 65_532;
/** The image's entry point and the Deployment's command. It needs no PATH and no shell. */
export const COMMAND: readonly string[] = [NODE, ...nodeFlags([PROGRAM, TOKEN_FOLDER]), PROGRAM];
