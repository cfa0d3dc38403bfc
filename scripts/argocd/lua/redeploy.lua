-- Deploys the same commit or settings once more: an edit of the spec would be taken back by self-heal.
local os = require("os")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["platform-operator.io/redeploy-requested-at"] = os.date("!%Y-%m-%dT%H:%M:%SZ")
return obj
