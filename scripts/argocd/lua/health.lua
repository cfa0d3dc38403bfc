-- Health of every kind of platform-operator.io, by the conditions that kstatus knows as well: Stalled needs a person,
-- Ready on the current generation is the goal, so is an accepted request whose end the platform does not show, a plan
-- that waits for approval is suspended, and everything else is on its way. Settings that the platform cannot change are
-- added to the message and change nothing else.
local hs = { status = "Progressing", message = "Waiting for the operator to look at this resource" }
local annotations = obj.metadata.annotations or {}
local pausing = { ["true"] = true, ["True"] = true, ["TRUE"] = true, ["1"] = true, ["yes"] = true, ["Yes"] = true, ["YES"] = true }
if pausing[annotations["platform-operator.io/paused"] or ""] == true then
  return { status = "Suspended", message = "Paused: the operator leaves it alone until it is resumed" }
end
if obj.status == nil or obj.status.conditions == nil then
  return hs
end
if obj.status.observedGeneration ~= obj.metadata.generation then
  hs.message = "Waiting for the latest change of the spec to be observed"
  return hs
end
local ready = nil
local stalled = nil
local unsent = ""
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Ready" then
    ready = condition
  elseif condition.type == "Stalled" then
    stalled = condition
  elseif condition.type == "SettingsSynced" and condition.status == "False" then
    unsent = "; " .. condition.reason .. ": " .. condition.message
  end
end
if stalled ~= nil and stalled.status == "True" then
  return { status = "Degraded", message = stalled.reason .. ": " .. stalled.message }
end
if ready == nil then
  return hs
end
if ready.status == "True" then
  hs.status = "Healthy"
elseif ready.status == "Unknown" and ready.reason == "NotObservable" then
  return { status = "Healthy", message = "accepted; the platform does not show the end: " .. ready.message .. unsent }
elseif ready.reason == "ApprovalPending" then
  hs.status = "Suspended"
end
hs.message = ready.reason .. ": " .. ready.message .. unsent
return hs
