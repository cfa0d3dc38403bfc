local actions = {}
local annotations = obj.metadata.annotations or {}
local pausing = { ["true"] = true, ["True"] = true, ["TRUE"] = true, ["1"] = true, ["yes"] = true, ["Yes"] = true, ["YES"] = true }
local paused = pausing[annotations["platform-operator.io/paused"] or ""] == true
local status = obj.status or {}
actions["reconcile"] = { ["disabled"] = paused, ["displayName"] = "Reconcile" }
actions["pause"] = { ["disabled"] = paused, ["displayName"] = "Pause" }
actions["resume"] = { ["disabled"] = not paused, ["displayName"] = "Resume" }
if status.plan ~= nil then
  actions["approve"] = { ["disabled"] = paused or status.plan.approved == true, ["displayName"] = "Approve the plan" }
end
if obj.kind == "PlatformApplication" then
  local deployed = status.lastDeployment ~= nil and status.lastDeployment.gitCommitId ~= nil
  actions["redeploy"] = { ["disabled"] = paused or not deployed, ["displayName"] = "Redeploy" }
elseif obj.kind == "PlatformDatabase" then
  actions["redeploy"] = { ["disabled"] = paused or status.externalId == nil, ["displayName"] = "Redeploy" }
end
return actions
