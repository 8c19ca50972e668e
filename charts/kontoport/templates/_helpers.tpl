{{/* The beginning of the names of all objects. */}}
{{- define "kontoport.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name -}}
{{- end -}}

{{- define "kontoport.name" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{/* The selector of the pods of a component; it must never change. Takes root and component. */}}
{{- define "kontoport.selector" -}}
app.kubernetes.io/name: {{ include "kontoport.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels that nobody else may set. Takes root and component. */}}
{{- define "kontoport.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "kontoport.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/part-of: kontoport
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* Takes root and component; labels beside the common ones. */}}
{{- define "kontoport.labels" -}}
{{ include "kontoport.ownLabels" . }}
{{- with merge (dict) (.labels | default dict) (.root.Values.commonLabels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata of an object: root, component, name; labels and annotations beside the common ones. */}}
{{- define "kontoport.metadata" -}}
metadata:
  name: {{ .name | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "kontoport.labels" . | nindent 4 }}
  {{- with merge (dict) (.annotations | default dict) (.root.Values.commonAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The IP families of a Service. */}}
{{- define "kontoport.ipFamilies" -}}
{{- with .Values.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.ipFamilies }}
  ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* The image of a service: root, name, image (its own values). */}}
{{- define "kontoport.image" -}}
{{- $values := .root.Values.image -}}
{{- $repository := .image.repository | default (printf "%s/%s" $values.repository .name) -}}
{{- if $values.registry }}{{ trimSuffix "/" $values.registry }}/{{ end -}}
{{- $repository -}}
{{- if .image.digest -}}@{{ .image.digest }}
{{- else -}}:{{ .image.tag | default $values.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end -}}

{{- define "kontoport.imagePullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Pod Security "restricted" (of a pod). */}}
{{- define "kontoport.podSecurity" -}}
runAsNonRoot: true
{{- range $key, $id := .Values.podSecurityContext }}
{{- if not (kindIs "invalid" $id) }}
{{ $key }}: {{ int64 $id }}
{{- end }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "kontoport.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* "true" where a tls block names certification authorities. */}}
{{- define "kontoport.hasTls" -}}
{{- if or .ca .caFrom.configMap .caFrom.secret }}true{{ end -}}
{{- end -}}

{{/* The Secret of a service: root, key, name, own. */}}
{{- define "kontoport.secretName" -}}
{{- if .root.Values.externalSecrets.enabled -}}
{{- printf "%s-%s" (include "kontoport.fullname" .root) .name -}}
{{- else -}}
{{- .own.existingSecret -}}
{{- end -}}
{{- end -}}

{{- define "kontoport.edgeSecretName" -}}
{{- if .Values.externalSecrets.enabled -}}
{{- printf "%s-edge" (include "kontoport.fullname" .) -}}
{{- else -}}
{{- .Values.edge.existingSecret -}}
{{- end -}}
{{- end -}}

{{/* Envoy Gateway reads no other key than `credential`. */}}
{{- define "kontoport.edgeSecretKey" -}}
{{- .Values.edge.secretKey | default (ternary "credential" "EDGE_SECRET" (eq .Values.edge.type "envoyGateway")) -}}
{{- end -}}

{{/* The key of the secrets that the services accept; the edge sends one of them. */}}
{{- define "kontoport.edgeAcceptedKey" -}}
{{- .Values.edge.acceptedSecretsKey | default (include "kontoport.edgeSecretKey" .) -}}
{{- end -}}

{{- define "kontoport.edgeFormat" -}}
{{- get (dict "envoyGateway" "xfcc" "haproxy" "haproxy" "traefik" "traefik" "none" (.Values.edge.format | default "rfc9440")) .Values.edge.type -}}
{{- end -}}

{{/* "true" where the services speak TLS with each other. */}}
{{- define "kontoport.internalTls" -}}
{{- if has .Values.internalTls.type (list "certManager" "existingSecrets") }}true{{ end -}}
{{- end -}}

{{/* The Secret with a service's own certificate: root, name, own. */}}
{{- define "kontoport.internalSecretName" -}}
{{- if eq .root.Values.internalTls.type "certManager" -}}
{{- printf "%s-%s-internal" (include "kontoport.fullname" .root) .name -}}
{{- else -}}
{{- .own.internalCertificate -}}
{{- end -}}
{{- end -}}
