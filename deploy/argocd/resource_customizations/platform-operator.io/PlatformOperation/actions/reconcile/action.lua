-- Reads the platform again at once, and tries a failed deployment once more.
local os = require("os")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["platform-operator.io/reconcile-requested-at"] = os.date("!%Y-%m-%dT%H:%M:%SZ")
return obj
