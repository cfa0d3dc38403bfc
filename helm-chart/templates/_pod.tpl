{{/* What the operator's pods and the pod of `helm test` have in common. */}}

{{- define "platform-operator.image" -}}
{{- $registry := default .Values.image.registry .Values.global.imageRegistry }}
{{- $name := ternary .Values.image.repository (printf "%s/%s" $registry .Values.image.repository) (empty $registry) }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "platform-operator.podBasics" -}}
serviceAccountName: {{ include "platform-operator.serviceAccountName" . }}
# The volume below mounts a token that is bound to the pod and expires.
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "platform-operator.containerBasics" -}}
image: {{ include "platform-operator.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command:
  {{- include "platform-operator.command" . | nindent 2 }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}

{{/* What a pod of every cluster finds at this path; this one's token lasts an hour and is renewed. */}}
{{- define "platform-operator.tokenMount" -}}
- name: token
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end }}

{{- define "platform-operator.tokenVolume" -}}
- name: token
  projected:
    {{- /* 0440, written so that YAML 1.1 and 1.2 read the same number. */}}
    defaultMode: 288
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3607
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- end }}
