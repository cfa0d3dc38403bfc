-- The plan that is shown, by its hash: if it changes in between, nothing is approved.
if obj.status ~= nil and obj.status.plan ~= nil then
  if obj.metadata.annotations == nil then
    obj.metadata.annotations = {}
  end
  obj.metadata.annotations["platform-operator.io/approved-plan"] = obj.status.plan.hash
end
return obj
