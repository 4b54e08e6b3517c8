{{- /*
The containers of the Job controller and of the audit: each in Pods of its own, or beside the webhook. There they have no
readiness probe: a controller that fills its caches must not take a webhook out of its Service.
*/}}
{{- define "jobsworth.controllerContainer" -}}
{{- $name := include "jobsworth.fullname" . -}}
- name: job-controller
  image: {{ include "jobsworth.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  securityContext: {{- toYaml .Values.securityContext | nindent 4 }}
  args:
    - reconcile
    - --managed-by={{ .Values.controller.managedBy }}
    {{- if .Values.controller.adoptUnmanaged }}
    - --adopt-unmanaged
    {{- end }}
    - --leader-elect
    - --leader-elect-namespace={{ .Release.Namespace }}
    - --leader-elect-name={{ $name }}-job-controller
    - --workers={{ .Values.controller.workers }}
    - --kube-api-qps={{ .Values.controller.qps }}
    - --kube-api-burst={{ .Values.controller.burst }}
    - --monitor-bind=:{{ .Values.controller.monitorPort }}
    {{- include "jobsworth.controllerPolicyArguments" . | nindent 4 }}
    {{- if not .Values.controller.applyDefaults }}
    - --dry-run
    {{- end }}
    {{- with .Values.controller.extraArgs }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  env:
    - name: POD_NAME
      valueFrom: {fieldRef: {fieldPath: metadata.name}}
  ports:
    - name: job-metrics
      containerPort: {{ .Values.controller.monitorPort }}
  startupProbe:
    httpGet: {path: /healthz, port: job-metrics}
    periodSeconds: 2
    failureThreshold: 30
  livenessProbe:
    httpGet: {path: /healthz, port: job-metrics}
    timeoutSeconds: 5
  {{- if eq .Values.controller.placement "deployment" }}
  readinessProbe:
    httpGet: {path: /readyz, port: job-metrics}
    timeoutSeconds: 3
  {{- end }}
  resources: {{- toYaml .Values.controller.resources | nindent 4 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- with include "jobsworth.policyMounts" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- include "jobsworth.tokenMount" . | nindent 4 }}
{{- end }}

{{- define "jobsworth.auditContainer" -}}
- name: audit
  image: {{ include "jobsworth.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  securityContext: {{- toYaml .Values.securityContext | nindent 4 }}
  args:
    - audit
    - --all-namespaces
    - --isolated
    {{- if .Values.audit.admissionPolicies.enabled }}
    - --admission-policies
    {{- end }}
    - --interval={{ .Values.audit.interval }}
    - --monitor-bind=:{{ .Values.audit.monitorPort }}
    - --exempt-namespace={{ concat (list "kube-system" .Release.Namespace) .Values.webhook.exemptNamespaces | uniq | join "," }}
    {{- if include "jobsworth.policies" . }}
    - --policy=/etc/jobsworth/policies
    {{- end }}
    {{- if include "jobsworth.lastGoodPolicies" . }}
    - --last-good-policies=/etc/jobsworth/last-good-policies
    {{- end }}
    {{- with include "jobsworth.profileArguments" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if ne (include "jobsworth.kubernetesVersion" .) "auto" }}
    - --kubernetes-version={{ include "jobsworth.kubernetesVersion" . }}
    {{- end }}
    {{- with include "jobsworth.featureGates" . }}
    - --feature-gates={{ . }}
    {{- end }}
    {{- if .Values.audit.health }}
    - --health-metrics
    {{- end }}
    {{- with .Values.audit.extraArgs }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: audit-metrics
      containerPort: {{ .Values.audit.monitorPort }}
  startupProbe:
    httpGet: {path: /healthz, port: audit-metrics}
    periodSeconds: 2
    failureThreshold: 30
  livenessProbe:
    httpGet: {path: /healthz, port: audit-metrics}
    timeoutSeconds: 5
  {{- if eq .Values.audit.placement "deployment" }}
  readinessProbe:
    httpGet: {path: /readyz, port: audit-metrics}
    timeoutSeconds: 3
  {{- end }}
  resources: {{- toYaml .Values.audit.resources | nindent 4 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- if include "jobsworth.policies" . }}
    - name: policies
      mountPath: /etc/jobsworth/policies
      readOnly: true
    {{- end }}
    {{- with include "jobsworth.lastGoodPoliciesMount" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- include "jobsworth.tokenMount" . | nindent 4 }}
{{- end }}

{{- /* The ports of the containers of one Pod, which must differ. */}}
{{- define "jobsworth.checkPorts" -}}
{{- $ports := list (int .Values.webhook.port) (int .Values.webhook.monitorPort) }}
{{- if eq (first $ports) (last $ports) }}
{{- fail (printf "port %d is used twice in the webhook's Pod: change webhook.port or webhook.monitorPort" (first $ports)) }}
{{- end }}
{{- range list .Values.controller .Values.audit }}
{{- if and .enabled (eq .placement "sidecar") }}
{{- if has (int .monitorPort) $ports }}
{{- fail (printf "port %d is used twice in the webhook's Pod: change controller.monitorPort or audit.monitorPort" (int .monitorPort)) }}
{{- end }}
{{- $ports = append $ports (int .monitorPort) }}
{{- end }}
{{- end }}
{{- end }}
