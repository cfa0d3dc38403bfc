/** Checks the rights of the user and of the operator. */
import { GROUP } from "../../../api/names.ts";
import { OPERATOR } from "../../../config/names.ts";
import { RESOURCES } from "../../../kinds/index.ts";
import { isKube } from "../../../kube/api/errors.ts";
import { listMember, member } from "../../../kube/api/json.ts";
import { collectionPath, DEPLOYMENT } from "../../../kube/api/paths.ts";
import type { Json } from "../../../kube/api/types.ts";
import { GRANTS, type Grant } from "../../../operator/rbac.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { failed, info, ok, unknown, type CheckContext, type Finding } from "./finding.ts";

/** One question to the API server (authorization.k8s.io/v1). */
interface Question {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** undefined for all. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The rights that an installation needs. */
const INSTALLS: readonly Question[] = [
  { group: "apiextensions.k8s.io", resource: "customresourcedefinitions", verb: "create" },
  { group: "rbac.authorization.k8s.io", resource: "clusterroles", verb: "create" },
  { group: "rbac.authorization.k8s.io", resource: "clusterrolebindings", verb: "create" },
  { group: "", resource: "namespaces", verb: "create" },
  { group: "apps", resource: "deployments", verb: "create", namespace: OPERATOR },
];

const USER_RIGHTS = "your rights";

/** Checks that the user may install the operator. @throws KubeError */
export async function checkInstaller(cluster: ClusterClient): Promise<readonly Finding[]> {
  const denied = await deniedOf(cluster, INSTALLS);
  if (denied.length === 0) return [ok(USER_RIGHTS, "enough to install")];
  return [failed(USER_RIGHTS, `you may not ${denied.join(", ")}. Ask a cluster admin to install the operator.`)];
}

/** Checks that the user may work with the custom resources of the namespace, and read the tokens. @throws KubeError */
export async function checkUser(cluster: ClusterClient): Promise<readonly Finding[]> {
  const { namespace } = cluster;
  const namespaced = RESOURCES.filter(({ scope }) => scope === "Namespaced");
  const ask = (verbs: readonly string[]): readonly Question[] =>
    namespaced.flatMap(({ plural }) => verbs.map((verb) => ({ group: GROUP, resource: plural, verb, namespace })));
  const denied = await deniedOf(cluster, ask(["get", "list", "watch"]));
  const unwritten = await deniedOf(cluster, ask(["create", "patch", "delete"]));
  const secrets = await deniedOf(cluster, [{ group: "", resource: "secrets", verb: "get", namespace }]);
  const where = `namespace "${namespace}"`;
  const mayRead = ok(USER_RIGHTS, `you may read the custom resources of ${where}`);
  const mayNotRead = failed(
    USER_RIGHTS,
    `in ${where} you may not ${listed(denied)}. Ask for a role with these rights.`,
  );
  const mayNotWrite = info(USER_RIGHTS, `in ${where} you may not ${listed(unwritten)}`);
  const noSecrets = `you may not read Secrets of ${where}: commands that query the platform need this right`;
  return [
    denied.length === 0 ? mayRead : mayNotRead,
    ...(unwritten.length === 0 ? [] : [mayNotWrite]),
    ...(secrets.length === 0 ? [] : [info(USER_RIGHTS, noSecrets)]),
  ];
}

/**
 * Checks that the operator's ServiceAccount has its roles: in its namespace, in the user's, and for cluster-scoped
 * objects. The operator may be limited to some namespaces.
 * @throws KubeError
 */
export async function checkOperatorRights(context: CheckContext): Promise<readonly Finding[]> {
  const { cluster, operatorNamespace, serviceAccount } = context;
  const what = "operator's rights";
  const account = `${operatorNamespace}/${serviceAccount}`;
  const user = `system:serviceaccount:${operatorNamespace}:${serviceAccount}`;
  const namespaces = { everywhere: cluster.namespace, cluster: undefined, "operator's namespace": operatorNamespace };
  const questions = GRANTS.flatMap((grant) =>
    grant.where === "namespaces where its role is bound" ? [] : questionsOf(grant, namespaces[grant.where]),
  );
  try {
    const denied = await deniedOf(cluster, questions, user);
    if (denied.length === 0) return [ok(what, `ServiceAccount ${account} has its roles`)];
    const advice =
      "Apply the roles of this version, have the operator watch this namespace, or name the operator's ServiceAccount with --operator-namespace and --service-account.";
    return [failed(what, `ServiceAccount ${account} may not ${listed(denied)}. ${advice}`)];
  } catch (error) {
    if (!isKube(error, "Forbidden")) throw error;
    return [unknown(what, "you may not check the rights of others")];
  }
}

const WATCHED = "watched namespaces";
const FLAG = "--watch-namespaces=";

/**
 * Checks the namespaces in the flag --watch-namespaces of the operator's Deployment. One that was deleted, or lacks the
 * RoleBinding, is not served.
 * @returns nothing where the operator watches all namespaces, or the user may not see its Deployment
 * @throws KubeError
 */
export async function checkWatchedNamespaces(context: CheckContext): Promise<readonly Finding[]> {
  const { cluster, operatorNamespace, serviceAccount } = context;
  const user = `system:serviceaccount:${operatorNamespace}:${serviceAccount}`;
  try {
    const deployments = await cluster.client.request({
      method: "GET",
      path: collectionPath(DEPLOYMENT, operatorNamespace),
    });
    const watched = listMember(deployments, "items").flatMap(watchedIn);
    const unserved: string[] = [];
    for (const namespace of watched) {
      const question = { group: GROUP, resource: "platformprojects", verb: "list", namespace };
      if (!(await isAllowed(cluster, question, user))) unserved.push(namespace);
    }
    if (watched.length === 0) return [];
    if (unserved.length === 0) return [ok(WATCHED, `the operator may serve all ${watched.length}`)];
    const advice = "Create the namespace with its RoleBinding, or remove it from --watch-namespaces.";
    return [failed(WATCHED, `${unserved.join(", ")}: not served, as the operator may not list there. ${advice}`)];
  } catch (error) {
    if (isKube(error, "Forbidden")) return [];
    throw error;
  }
}

/** Returns the namespaces in the flag of a Deployment's containers. */
function watchedIn(deployment: Json): readonly string[] {
  const containers = listMember(member(member(member(deployment, "spec"), "template"), "spec"), "containers");
  const args = containers.flatMap((container) => listMember(container, "args"));
  return args.flatMap((arg) => {
    const text = typeof arg === "string" && arg.startsWith(FLAG) ? arg.slice(FLAG.length) : "";
    return text.split(",").filter((name) => name !== "");
  });
}

function questionsOf({ group, resources, verbs, names }: Grant, namespace: string | undefined): readonly Question[] {
  return resources.flatMap((resource) =>
    verbs.flatMap((verb) => (names ?? [undefined]).map((name) => ({ group, resource, verb, namespace, name }))),
  );
}

/** The number of concurrent questions: each is a request. */
const AT_ONCE = 8;

/** @returns the denied rights, as text @param user whose rights are checked; the caller's own if absent */
async function deniedOf(
  cluster: ClusterClient,
  questions: readonly Question[],
  user?: string,
): Promise<readonly string[]> {
  const denied = new Set<string>();
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    const batch = questions.slice(at, at + AT_ONCE);
    const answers = await Promise.all(batch.map((question) => isAllowed(cluster, question, user)));
    for (const [index, { verb, resource }] of batch.entries()) {
      if (answers[index] === false) denied.add(`${verb} ${resource}`);
    }
  }
  return [...denied];
}

async function isAllowed({ client }: ClusterClient, question: Question, user: string | undefined): Promise<boolean> {
  const { resource, ...attributes } = question;
  const [plural, subresource] = resource.split("/");
  const kind = user === undefined ? "SelfSubjectAccessReview" : "SubjectAccessReview";
  const answer = await client.request({
    method: "POST",
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind,
      spec: { resourceAttributes: { ...attributes, resource: plural, subresource }, user },
    },
  });
  return member(member(answer, "status"), "allowed") === true;
}

/** The number of denied rights that a finding names. */
const NAMED = 4;

function listed(denied: readonly string[]): string {
  const more = denied.length > NAMED ? ` and ${denied.length - NAMED} more` : "";
  return `${denied.slice(0, NAMED).join(", ")}${more}`;
}
