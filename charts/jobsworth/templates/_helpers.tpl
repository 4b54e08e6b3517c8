{{- define "jobsworth.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* 44 characters leave room for suffixes, of which -release-finalizers is the longest. */}}
{{- define "jobsworth.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $full .Values.fullnameOverride | trunc 44 | trimSuffix "-" }}
{{- end }}

{{- define "jobsworth.selectorLabels" -}}
app.kubernetes.io/name: {{ include "jobsworth.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "jobsworth.labels" -}}
{{ include "jobsworth.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "jobsworth.serviceAccountName" -}}
{{- default (ternary (include "jobsworth.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "jobsworth.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* The Secret with the certificates, and the Lease of the replica that manages them. */}}
{{- define "jobsworth.certificates" -}}
{{- if eq .Values.certificates.mode "existingSecret" -}}
{{ required "certificates.mode existingSecret requires certificates.existingSecret.name" .Values.certificates.existingSecret.name }}
{{- else -}}
{{ include "jobsworth.fullname" . }}-certificates
{{- end }}
{{- end }}

{{- define "jobsworth.policies" -}}
{{- if .Values.existingPoliciesConfigMap -}}
{{ .Values.existingPoliciesConfigMap }}
{{- else if .Values.policies -}}
{{ include "jobsworth.fullname" . }}-policies
{{- end }}
{{- end }}

{{- /* For releases that jobsworth does not know yet, use the newest known one. */}}
{{- define "jobsworth.kubernetesVersion" -}}
{{- $minor := regexFind "[0-9]+" .Capabilities.KubeVersion.Minor | int }}
{{- default (printf "1.%d" (min $minor 37)) .Values.webhook.kubernetesVersion }}
{{- end }}

{{- /* Only containers that call the API server mount a token. */}}
{{- define "jobsworth.tokenMount" -}}
- name: kube-api-access
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end }}

{{- define "jobsworth.usesApi" -}}
{{- if or (eq .Values.certificates.mode "selfManaged") .Values.controller.enabled .Values.webhook.namespaceLabels }}true{{ end }}
{{- end }}
