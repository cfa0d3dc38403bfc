{{- define "platform-operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name in labels of the pod of `helm test`, which no Service and no budget may take for the operator's. */}}
{{- define "platform-operator.testName" -}}
{{- printf "%s-test" (include "platform-operator.name" . | trunc 58 | trimSuffix "-") }}
{{- end }}

{{/* Names of objects: 55 characters, as a Service has 63 and "-webhook" is added to its name. */}}
{{- define "platform-operator.fullname" -}}
{{- $name := include "platform-operator.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 55 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 55 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 55 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The URL at which the platform reaches the receiver; empty if it is not known. */}}
{{- define "platform-operator.webhookUrl" -}}
{{- if .Values.webhook.enabled }}
{{- if .Values.webhook.url }}
{{- .Values.webhook.url }}
{{- else if .Values.webhook.ingress.enabled }}
{{- printf "https://%s" .Values.webhook.ingress.host }}
{{- end }}
{{- end }}
{{- end }}

{{- define "platform-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "platform-operator.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "platform-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "platform-operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "platform-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "platform-operator.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
The members of metadata that all objects have. Takes a list: the root, then a map with name, namespace, labels and
annotations, each of which may be missing.
*/}}
{{- define "platform-operator.metadata" -}}
{{- $root := index . 0 }}
{{- $own := index . 1 }}
name: {{ default (include "platform-operator.fullname" $root) $own.name }}
{{- if not $own.clusterScoped }}
namespace: {{ default $root.Release.Namespace $own.namespace }}
{{- end }}
labels:
  {{- include "platform-operator.labels" $root | nindent 2 }}
  {{- with $own.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (default (dict) $own.annotations) $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
Whether to render an object of a kind that the cluster may not have. Takes a list: the root, the API version and kind,
the render mode. Gives "true" or nothing.
*/}}
{{- define "platform-operator.rendersOptional" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $mode := index . 2 }}
{{- if or (eq $mode "alwaysRender") ($root.Capabilities.APIVersions.Has $kind) -}}
true
{{- else if eq $mode "failIfMissing" }}
{{- fail (printf "The cluster does not have %s. Install it first, or set its renderMode to skipIfMissing." $kind) }}
{{- end }}
{{- end }}

{{- define "platform-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "platform-operator.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* A RoleBinding to the operator. Takes a list: the root, the namespace, the kind of the role and its name. */}}
{{- define "platform-operator.roleBinding" }}
{{- $root := index . 0 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "platform-operator.metadata" (list $root (dict "namespace" (index . 1) "name" (index . 3))) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 2 }}
  name: {{ index . 3 }}
subjects:
  {{- include "platform-operator.subjects" $root | nindent 2 }}
{{- end }}

{{/* One egress rule. Takes a list: CIDR blocks, then ports. */}}
{{- define "platform-operator.egress" -}}
- to:
    {{- range index . 0 }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
  ports:
    {{- range index . 1 }}
    - port: {{ int . }}
    {{- end }}
{{- end }}

{{/* Nothing, or an end with the reason: two servers cannot listen on one port. */}}
{{- define "platform-operator.checkPorts" -}}
{{- $ports := list 8081 }}
{{- range list .Values.metrics .Values.webhook .Values.statusPage }}
{{- if .enabled }}
{{- $ports = append $ports (int .port) }}
{{- end }}
{{- end }}
{{- if ne (len $ports) (len (uniq $ports)) }}
{{- fail (printf "metrics.port, webhook.port, statusPage.port and the port of the probes, 8081, have to differ: %v." $ports) }}
{{- end }}
{{- end }}
