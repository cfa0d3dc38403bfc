if obj.metadata.annotations ~= nil then
  obj.metadata.annotations["platform-operator.io/paused"] = nil
end
return obj
