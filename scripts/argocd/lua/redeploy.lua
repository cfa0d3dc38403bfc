-- The same once more, as a PlatformOperation: an edit of the spec would be taken back by self-heal.
local os = require("os")
local spec = { ttlSecondsAfterFinished = 86400 }
if obj.kind == "PlatformDatabase" then
  spec.type = "DeployDatabase"
  spec.databaseRef = { name = obj.metadata.name }
else
  spec.type = "DeployApplication"
  spec.applicationRef = { name = obj.metadata.name }
  spec.gitCommitId = obj.status.lastDeployment.gitCommitId
end
local operation = {
  apiVersion = "platform-operator.io/v1alpha1",
  kind = "PlatformOperation",
  metadata = {
    name = obj.metadata.name .. "-redeploy-" .. os.date("!%Y%m%d%H%M%S"),
    namespace = obj.metadata.namespace,
  },
  spec = spec,
}
return { { ["operation"] = "create", ["resource"] = operation } }
