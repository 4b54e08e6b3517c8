{{- /*
The webhook in both webhook configurations. Takes a dict of root, path (mutate or validate) and
failurePolicy.
*/}}
{{- define "jobsworth.webhook" -}}
{{- $webhook := .root.Values.webhook }}
{{- $exempt := concat (list "kube-system" .root.Release.Namespace) $webhook.exemptNamespaces | uniq }}
{{- $selector := $webhook.namespaceSelector }}
{{- $names := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" $exempt }}
{{- $expressions := prepend (default list $selector.matchExpressions) $names }}
- name: {{ .path }}.jobsworth.dev
  admissionReviewVersions: [v1]
  clientConfig:
    service:
      name: {{ include "jobsworth.fullname" .root }}
      namespace: {{ .root.Release.Namespace }}
      path: /{{ .path }}
      port: {{ .root.Values.service.port }}
    {{- with .root.Values.certificates.existingSecret.caBundle }}
    {{- if eq $.root.Values.certificates.mode "existingSecret" }}
    caBundle: {{ ternary (b64enc .) . (contains "BEGIN CERTIFICATE" .) }}
    {{- end }}
    {{- end }}
  failurePolicy: {{ .failurePolicy }}
  matchPolicy: Equivalent
  sideEffects: None
  timeoutSeconds: {{ $webhook.timeoutSeconds }}
  rules:
    - apiGroups: [batch]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [jobs, cronjobs]
      scope: Namespaced
  # Exempt its own namespace and kube-system, so that a failing webhook cannot block them.
  namespaceSelector:
    {{- with $selector.matchLabels }}
    matchLabels: {{- toYaml . | nindent 6 }}
    {{- end }}
    matchExpressions: {{- toYaml $expressions | nindent 6 }}
  objectSelector: {{- toYaml $webhook.objectSelector | nindent 4 }}
  matchConditions:
    # Controllers write finalizers, owners and status; users write spec, labels and annotations.
    - name: written-by-people
      expression: >-
        request.operation != 'UPDATE'
        || object.spec != oldObject.spec
        || object.metadata.?labels.orValue({}) != oldObject.metadata.?labels.orValue({})
        || object.metadata.?annotations.orValue({}) != oldObject.metadata.?annotations.orValue({})
    - name: not-being-deleted
      expression: "!has(object.metadata.deletionTimestamp)"
    - name: not-by-built-in-controllers
      expression: >-
        request.operation != 'UPDATE' || !(request.userInfo.username in [
        'system:kube-controller-manager',
        'system:serviceaccount:kube-system:job-controller',
        'system:serviceaccount:kube-system:cronjob-controller',
        'system:serviceaccount:kube-system:ttl-after-finished-controller',
        'system:serviceaccount:kube-system:generic-garbage-collector',
        'system:serviceaccount:kube-system:namespace-controller'])
    {{- with $webhook.exemptUsers }}
    - name: not-by-exempt-users
      expression: {{ printf "!(request.userInfo.username in %s)" (toJson .) | quote }}
    {{- end }}
    {{- with $webhook.exemptGroups }}
    - name: not-by-exempt-groups
      expression: {{ printf "!request.userInfo.groups.exists(group, group in %s)" (toJson .) | quote }}
    {{- end }}
    {{- with $webhook.matchConditions }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{- define "jobsworth.webhookMetadata" -}}
name: {{ include "jobsworth.fullname" . }}
{{- $labels := include "jobsworth.labels" . | fromYaml }}
{{- if include "jobsworth.registers" . }}
{{- /* Not those of the release: GitOps tools would regard the run-time object as one that Git does not have. */}}
{{- $labels = dict "app.kubernetes.io/name" (include "jobsworth.name" .) "app.kubernetes.io/managed-by" "jobsworth" }}
{{- end }}
labels: {{- merge $labels .Values.webhook.labels | toYaml | nindent 2 }}
{{- with .Values.webhook.annotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "jobsworth.mutatingConfiguration" -}}
{{- with .Values.webhook.mutating }}
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {{- include "jobsworth.webhookMetadata" $ | nindent 2 }}
webhooks:
  {{- include "jobsworth.webhook" (dict "root" $ "path" "mutate" "failurePolicy" .failurePolicy) | nindent 2 }}
    reinvocationPolicy: IfNeeded
{{- end }}
{{- end }}

{{- define "jobsworth.validatingConfiguration" -}}
{{- with .Values.webhook.validating }}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{- include "jobsworth.webhookMetadata" $ | nindent 2 }}
webhooks:
  {{- include "jobsworth.webhook" (dict "root" $ "path" "validate" "failurePolicy" .failurePolicy) | nindent 2 }}
{{- end }}
{{- end }}
