{{/* The files of a service under /etc/kontoport. Rotated files are read again. Takes a service. */}}
{{- define "kontoport.volumes" -}}
{{- $values := .root.Values -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: trust-anchors
  {{- include "kontoport.folder" $values.trustAnchors | nindent 2 }}
{{- if or $values.intermediates.configMap $values.intermediates.secret }}
- name: intermediates
  {{- include "kontoport.folder" $values.intermediates | nindent 2 }}
{{- end }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $variable, $from := include "kontoport.secrets" . | fromYaml }}
      - secret: { name: {{ $from.name | quote }}, items: [{ key: {{ $from.key | quote }}, path: {{ $variable }} }] }
      {{- end }}
{{- include "kontoport.databaseTls" . }}
{{- if and .row.kafka (include "kontoport.hasFiles" (dict "tls" $values.kafka.tls "certificate" .own.kafkaCertificate)) }}
- name: kafka-tls
  {{- include "kontoport.tlsFolder" (dict "tls" $values.kafka.tls "certificate" .own.kafkaCertificate) | nindent 2 }}
{{- end }}
{{- if and .row.bank $values.bank.address (include "kontoport.hasFiles" (dict "tls" $values.bank.tls "certificate" $values.bank.tls.clientCertificate)) }}
- name: bank-tls
  {{- include "kontoport.tlsFolder" (dict "tls" $values.bank.tls "certificate" $values.bank.tls.clientCertificate) | nindent 2 }}
{{- end }}
{{- $collector := dict "tls" $values.tracing.tls "certificate" $values.tracing.tls.clientCertificate }}
{{- if and $values.tracing.endpoint (include "kontoport.hasFiles" $collector) }}
- name: tracing-tls
  {{- include "kontoport.tlsFolder" $collector | nindent 2 }}
{{- end }}
{{- if eq (include "kontoport.internalTls" .root) "true" }}
- name: internal-tls
  secret: { secretName: {{ include "kontoport.internalSecretName" . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{/* The same, and what the container that applies migrations needs beside it. */}}
{{- define "kontoport.podVolumes" -}}
{{ include "kontoport.volumes" . }}
{{- if eq (include "kontoport.waits" .) "true" }}
{{ include "kontoport.databaseUrl" . }}
{{- end }}
{{- end -}}

{{- define "kontoport.databaseTls" -}}
{{- $database := dict "tls" .root.Values.database.tls "certificate" .own.databaseCertificate }}
{{- if and (not .inMemory) (include "kontoport.hasFiles" $database) }}
- name: database-tls
  {{- include "kontoport.tlsFolder" $database | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The URL of the database, for a container that needs no other secret. */}}
{{- define "kontoport.databaseUrl" -}}
{{- $from := (include "kontoport.secrets" . | fromYaml).DATABASE_URL -}}
- name: database-url
  projected:
    defaultMode: 0440
    sources:
      - secret: { name: {{ $from.name | quote }}, items: [{ key: {{ $from.key | quote }}, path: DATABASE_URL }] }
{{- end -}}

{{/* The files of migrations: the URL, and TLS to the database. */}}
{{- define "kontoport.migrationVolumes" -}}
{{ include "kontoport.databaseUrl" . }}
{{- include "kontoport.databaseTls" . }}
{{- end -}}

{{/* Mounts of a list of volumes: each is a folder of its name, but for tmp. */}}
{{- define "kontoport.mounts" -}}
{{- range . }}
- { name: {{ .name }}, mountPath: {{ ternary "/tmp" (printf "/etc/kontoport/%s" .name) (eq .name "tmp") }}{{ if ne .name "tmp" }}, readOnly: true{{ end }} }
{{- end }}
{{- end -}}

{{- define "kontoport.folder" -}}
{{- if .configMap -}}
configMap: { name: {{ .configMap | quote }} }
{{- else -}}
secret: { secretName: {{ .secret | quote }}, defaultMode: 0440 }
{{- end -}}
{{- end -}}

{{- define "kontoport.hasFiles" -}}
{{- if or .certificate (and (not .tls.ca) (or .tls.caFrom.configMap .tls.caFrom.secret)) }}true{{ end -}}
{{- end -}}

{{- define "kontoport.tlsFolder" -}}
projected:
  defaultMode: 0440
  sources:
    {{- with .tls.caFrom }}
    {{- if not $.tls.ca }}
    {{- if .configMap }}
    - configMap: { name: {{ .configMap | quote }}, items: [{ key: {{ .key | quote }}, path: ca.crt }] }
    {{- else if .secret }}
    - secret: { name: {{ .secret | quote }}, items: [{ key: {{ .key | quote }}, path: ca.crt }] }
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with .certificate }}
    - secret: { name: {{ . | quote }}, items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }] }
    {{- end }}
{{- end -}}
