/** Method and path of the documented endpoints, in the order of the documentation; the names of parameters left out. */
export const DOCUMENTED_ENDPOINTS: readonly string[] = `
GET /organization/{}/platformTemplate
PUT /organization/{}/cluster/{}/platformBinding
POST /application/{}/environmentVariable/import
POST /environment/{}/helmDefaultValues
POST /environment/{}/blueprint
POST /application/{}/deploy
POST /database/{}/stop
GET /{}/{}/ingressDeploymentStatus
GET /application/{}/secret
GET /environment/deploymentStatus
GET /project/{}/environment/stats
POST /organization/{}/cluster/{}/stop
POST /cluster/{}/upgrade
GET /cluster/{}/token
GET /cluster/{}/metrics
GET /cloudProvider
GET /aws/managedDatabase/type
GET /organization/{}/gcp/credentials/{}
POST /organization/{}/downloadInvoices
GET /organization/{}/account/github/repository
GET /organization/{}/project
POST /organization/{}/project
POST /project/{}/environment
POST /environment/{}/application
GET /application/{}/status
POST /application/{}/environmentVariable
GET /application/{}/environmentVariable
POST /application/{}/secret
GET /application/{}/log
POST /environment/{}/database
POST /database/{}/deploy
POST /organization/{}/webhook
`
  .trim()
  .split("\n");
