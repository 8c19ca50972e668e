{{/* "true" where the pods of a service wait for the migrations themselves. */}}
{{- define "kontoport.waits" -}}
{{- if and (eq .root.Values.migrations.mode "job") (not .inMemory) }}true{{ end -}}
{{- end -}}

{{/* The container that applies migrations: what it needs to reach the database, and nothing else. */}}
{{- define "kontoport.migrate" -}}
{{- $volumes := include "kontoport.migrationVolumes" . | fromYamlArray -}}
image: {{ include "kontoport.image" (dict "root" .root "name" .name "image" .own.image) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: [migrate]
securityContext:
  {{- include "kontoport.containerSecurity" . | nindent 2 }}
env:
  - { name: ENVIRONMENT, value: {{ .root.Values.environment }} }
  - { name: DATABASE_URL_FILE, value: /etc/kontoport/database-url/DATABASE_URL }
  {{- include "kontoport.databaseEnv" . | nindent 2 }}
resources:
  {{- toYaml .root.Values.migrations.resources | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- include "kontoport.mounts" $volumes | nindent 2 }}
{{- end -}}

{{/* The pod of a Job that applies them. Takes a service. */}}
{{- define "kontoport.migrationPod" -}}
metadata:
  labels:
    {{- include "kontoport.labels" (dict "root" .root "component" (printf "%s-migrate" .name)) | nindent 4 }}
spec:
  restartPolicy: {{ ternary "OnFailure" "Never" (eq .root.Values.migrations.mode "job") }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- include "kontoport.imagePullSecrets" .root | nindent 2 }}
  {{- include "kontoport.placing" .own | nindent 2 }}
  securityContext:
    {{- include "kontoport.podSecurity" .root | nindent 4 }}
  containers:
    - name: migrate
      {{- include "kontoport.migrate" . | nindent 6 }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- include "kontoport.migrationVolumes" . | nindent 4 }}
{{- end -}}
