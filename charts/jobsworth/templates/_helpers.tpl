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

{{- /*
The Pods of one component: webhook or job-controller. Selectors include the component, so that they match no Pod of
another one, nor that of `helm test`. Takes a dict of root and component.
*/}}
{{- define "jobsworth.componentLabels" -}}
{{ include "jobsworth.selectorLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "jobsworth.labels" -}}
{{- $own := include "jobsworth.selectorLabels" . | fromYaml }}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion }}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service }}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- $_ := set $own "helm.sh/chart" $chart }}
{{- merge $own .Values.commonLabels | toYaml }}
{{- end }}

{{- /* The Pods of the metrics Service have the label jobsworth.dev/metrics. Takes a dict of root and component. */}}
{{- define "jobsworth.podLabels" -}}
{{- $own := include "jobsworth.componentLabels" . | fromYaml }}
{{- $_ := set $own "jobsworth.dev/metrics" "true" }}
{{- merge $own .root.Values.podLabels (include "jobsworth.labels" .root | fromYaml) | toYaml }}
{{- end }}

{{- define "jobsworth.serviceAccountName" -}}
{{- default (ternary (include "jobsworth.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "jobsworth.controllerServiceAccountName" -}}
{{- if eq .Values.controller.placement "sidecar" }}
{{- include "jobsworth.serviceAccountName" . }}
{{- else }}
{{- $own := printf "%s-job-controller" (include "jobsworth.fullname" .) }}
{{- with .Values.controller.serviceAccount }}
{{- default (ternary $own "default" .create) .name }}
{{- end }}
{{- end }}
{{- end }}

{{- define "jobsworth.auditServiceAccountName" -}}
{{- if eq .Values.audit.placement "sidecar" }}
{{- include "jobsworth.serviceAccountName" . }}
{{- else }}
{{- $own := printf "%s-audit" (include "jobsworth.fullname" .) }}
{{- with .Values.audit.serviceAccount }}
{{- default (ternary $own "default" .create) .name }}
{{- end }}
{{- end }}
{{- end }}

{{- define "jobsworth.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* A sidecar of the webhook manages the certificates, or those that cert-manager issues. */}}
{{- define "jobsworth.sidecar" -}}
{{- if ne .Values.certificates.mode "existingSecret" }}true{{ end }}
{{- end }}

{{- /* The Secret with the certificates, and the Lease of the replica that manages them. */}}
{{- define "jobsworth.certificates" -}}
{{- if eq .Values.certificates.mode "existingSecret" -}}
{{ required "certificates.mode existingSecret requires certificates.existingSecret.name" .Values.certificates.existingSecret.name }}
{{- else -}}
{{ include "jobsworth.fullname" . }}-certificates
{{- end }}
{{- end }}

{{- /* The Secret that the sidecar writes; with cert-manager, it holds only the CAs that the webhooks trust. */}}
{{- define "jobsworth.written" -}}
{{- if eq .Values.certificates.mode "certManager" -}}
{{ include "jobsworth.fullname" . }}-trusted-cas
{{- else -}}
{{ include "jobsworth.certificates" . }}
{{- end }}
{{- end }}

{{- /*
The lifetimes without which neither the sidecar nor cert-manager starts; a CA outlives the certificates that it signs, and
the 24h for which a previous CA stays trusted.
*/}}
{{- define "jobsworth.checkLifetimes" -}}
{{- $mode := .Values.certificates.mode }}
{{- with .Values.certificates }}
{{- $start := toDate "2006-01-02" "2000-01-01" }}
{{- $renewed := dateModify .renewBefore $start }}
{{- $ends := dateModify .duration $start }}
{{- if and (ne $mode "existingSecret") (not ($ends.After $renewed)) }}
{{- fail (printf "certificates.duration %s must be longer than certificates.renewBefore %s" .duration .renewBefore) }}
{{- end }}
{{- if and (eq $mode "selfManaged") (not ((dateModify .caDuration $start).After (dateModify "24h" (dateModify .renewBefore $ends)))) }}
{{- fail (printf "certificates.caDuration %s must be longer than duration %s, renewBefore %s and 24h together" .caDuration .duration .renewBefore) }}
{{- end }}
{{- if and (eq $mode "selfManaged") (not ($renewed.After (dateModify "30s" $start))) }}
{{- fail (printf "certificates.renewBefore %s must be longer than 30s" .renewBefore) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The certificate manager creates the webhook configurations. */}}
{{- define "jobsworth.registers" -}}
{{- if and (eq .Values.registration.mode "manager") (include "jobsworth.sidecar" .) }}true{{ end }}
{{- end }}

{{- define "jobsworth.profileArguments" -}}
{{- if ne .Values.profile "none" -}}
- --profile={{ .Values.profile }}
- --profile-enforcement={{ .Values.profileEnforcement }}
{{- end }}
{{- end }}

{{- /* The exported policies that the webhook leaves to the API server, as NAME=HASH. */}}
{{- define "jobsworth.nativePolicies" -}}
{{- $found := list }}
{{- range $name, $hash := .Values.enforcement.native.policies }}
{{- $found = append $found (printf "%s=%s" $name $hash) }}
{{- end }}
{{- join "," $found }}
{{- end }}

{{- define "jobsworth.policies" -}}
{{- if .Values.existingPoliciesConfigMap -}}
{{ .Values.existingPoliciesConfigMap }}
{{- else if or .Values.policies .Values.policyFiles -}}
{{ include "jobsworth.fullname" . }}-policies
{{- end }}
{{- end }}

{{- /* The sidecar stores the last valid version of each policy in this ConfigMap. */}}
{{- define "jobsworth.lastGoodPolicies" -}}
{{- if and (include "jobsworth.sidecar" .) (include "jobsworth.policies" .) -}}
{{ include "jobsworth.fullname" . }}-last-good-policies
{{- end }}
{{- end }}

{{- define "jobsworth.lastGoodPoliciesMount" -}}
{{- if include "jobsworth.lastGoodPolicies" . }}
- name: last-good-policies
  mountPath: /etc/jobsworth/last-good-policies
  readOnly: true
{{- end }}
{{- end }}

{{- define "jobsworth.lastGoodPoliciesVolume" -}}
{{- with include "jobsworth.lastGoodPolicies" . }}
- name: last-good-policies
  configMap: {name: {{ . }}, optional: true}
{{- end }}
{{- end }}

{{- /* The policies, for every container that evaluates objects by them. */}}
{{- define "jobsworth.policyMounts" -}}
{{- if include "jobsworth.policies" . }}
- name: policies
  mountPath: /etc/jobsworth/policies
  readOnly: true
{{- end }}
{{- include "jobsworth.lastGoodPoliciesMount" . }}
{{- end }}

{{- define "jobsworth.policyVolumes" -}}
{{- with include "jobsworth.policies" . }}
- name: policies
  configMap: {name: {{ . }}}
{{- end }}
{{- include "jobsworth.lastGoodPoliciesVolume" . }}
{{- end }}

{{- /* The same policies, for the same API server, as the webhook's. */}}
{{- define "jobsworth.controllerPolicyArguments" -}}
{{- if include "jobsworth.policies" . }}
- --policy=/etc/jobsworth/policies
{{- end }}
{{- if include "jobsworth.lastGoodPolicies" . }}
- --last-good-policies=/etc/jobsworth/last-good-policies
{{- end }}
{{- with include "jobsworth.profileArguments" . }}
{{ . }}
{{- end }}
- --kubernetes-version={{ include "jobsworth.kubernetesVersion" . }}
{{- with include "jobsworth.featureGates" . }}
- --feature-gates={{ . }}
{{- end }}
- --{{ if not .Values.webhook.allowPrivileged }}no-{{ end }}allow-privileged
{{- end }}

{{- /* By default, the release that the API server reports at run time. */}}
{{- define "jobsworth.kubernetesVersion" -}}
{{- default "auto" .Values.webhook.kubernetesVersion }}
{{- end }}

{{- /* Without the sidecar, which knows it, the webhook asks the API server for its release. */}}
{{- define "jobsworth.asksRelease" -}}
{{- if and (not (include "jobsworth.sidecar" .)) (eq (include "jobsworth.kubernetesVersion" .) "auto") }}true{{ end }}
{{- end }}

{{- define "jobsworth.featureGates" -}}
{{- $gates := list }}
{{- range $gate, $on := .Values.webhook.featureGates }}
{{- $gates = append $gates (printf "%s=%t" $gate $on) }}
{{- end }}
{{- join "," $gates }}
{{- end }}

{{- /* Only containers that call the API server mount a token. */}}
{{- define "jobsworth.tokenMount" -}}
- name: kube-api-access
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end }}

{{- define "jobsworth.tokenVolume" -}}
- name: kube-api-access
  projected:
    sources:
      - serviceAccountToken: {path: token, expirationSeconds: 3607}
      - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
      - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
{{- end }}

{{- /* A controller or an audit runs beside the webhook. */}}
{{- define "jobsworth.pairs" -}}
{{- range list .Values.controller .Values.audit }}
{{- if and .enabled (eq .placement "sidecar") }}true{{ end }}
{{- end }}
{{- end }}

{{- /* The webhook's Pod calls the API server. */}}
{{- define "jobsworth.usesApi" -}}
{{- if or (include "jobsworth.sidecar" .) (include "jobsworth.pairs" .) .Values.webhook.namespaceLabels (include "jobsworth.asksRelease" .) }}true{{ end }}
{{- end }}

{{- define "jobsworth.ipFamilies" -}}
{{- with .Values.service }}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The placement of the Pods of one component. Takes a dict of root and component. */}}
{{- define "jobsworth.placement" -}}
{{- $selector := dict "labelSelector" (dict "matchLabels" (include "jobsworth.componentLabels" . | fromYaml)) }}
{{- with .root.Values }}
{{- with .imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml (merge (deepCopy .) $selector) | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
