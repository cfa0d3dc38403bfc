if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["platform-operator.io/paused"] = "true"
return obj
