{{/* Variables of a service from values that are no settings. Takes a service. */}}
{{- define "kontoport.env" -}}
{{- $values := .root.Values -}}
{{- $full := include "kontoport.fullname" .root -}}
{{- $scheme := ternary "https" "http" (eq (include "kontoport.internalTls" .root) "true") -}}
- { name: ENVIRONMENT, value: {{ $values.environment }} }
- { name: HTTP_HOST, value: {{ ternary "::" "0.0.0.0" (has "IPv6" $values.ipFamilies) | quote }} }
{{- range $port, $number := .row.ports }}
- { name: {{ upper $port }}_PORT, value: {{ $number | toString | quote }} }
{{- end }}
- { name: TRUST_ANCHORS, value: /etc/kontoport/trust-anchors }
{{- if or $values.intermediates.configMap $values.intermediates.secret }}
- { name: INTERMEDIATES, value: /etc/kontoport/intermediates }
{{- end }}
- { name: EDGE_ADDRESSES, value: {{ join "," $values.edge.addresses | quote }} }
- { name: EDGE_FORMAT, value: {{ include "kontoport.edgeFormat" .root }} }
- { name: REGISTRATION_GRPC, value: "{{ $full }}-registration:9090" }
{{- if eq $values.environment "sandbox" }}
- { name: REQUEST_LOG_GRPC, value: "{{ $full }}-account-information:9090" }
{{- end }}
- { name: AUTH_JWKS_URL, value: "{{ $scheme }}://{{ $full }}-auth:8080/.well-known/jwks.json" }
- { name: TOKEN_ISSUER, value: {{ $values.urls.auth | quote }} }
- { name: PUBLIC_URLS, value: {{ list $values.urls.base $values.urls.registration $values.urls.auth $values.urls.user | join "," | quote }} }
- { name: BRAND_NAME, value: {{ $values.brand.name | quote }} }
{{- with $values.brand.color }}
- { name: BRAND_COLOR, value: {{ . | quote }} }
{{- end }}
{{- with $values.brand.logo }}
- { name: BRAND_LOGO, value: {{ . | quote }} }
{{- end }}
{{- if has .key (list "auth" "payments") }}
- { name: ACCOUNTS_GRPC, value: "{{ $full }}-account-information:9090" }
- { name: USER_URL, value: {{ $values.urls.user | quote }} }
{{- end }}
{{- if eq .key "auth" }}
- { name: PAYMENTS_GRPC, value: "{{ $full }}-payments:9090" }
{{- end }}
{{- if and .row.bank $values.bank.address }}
- { name: BANK_GRPC, value: {{ $values.bank.address | quote }} }
{{- include "kontoport.tlsEnv" (dict "prefix" "BANK" "tls" $values.bank.tls "certificate" $values.bank.tls.clientCertificate) }}
{{- if $values.bank.plaintext }}
- { name: BANK_PLAINTEXT, value: "true" }
{{- end }}
{{- end }}
{{- include "kontoport.databaseEnv" . }}
{{- if .row.kafka }}
{{- include "kontoport.kafkaEnv" . }}
{{- end }}
{{- include "kontoport.internalTlsEnv" . }}
{{- range $variable, $_ := include "kontoport.secrets" . | fromYaml }}
- { name: {{ $variable }}_FILE, value: /etc/kontoport/secrets/{{ $variable }} }
{{- end }}
{{- if $values.tracing.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ $values.tracing.endpoint | quote }} }
{{- include "kontoport.collectorEnv" $values.tracing }}
- { name: OTEL_TRACES_SAMPLER, value: parentbased_traceidratio }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $values.tracing.samplingRatio | quote }} }
- { name: OTEL_SERVICE_NAME, value: {{ .name }} }
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: OTEL_RESOURCE_ATTRIBUTES
  value: service.namespace={{ .root.Release.Namespace }},service.instance.id=$(POD_NAME),deployment.environment.name={{ $values.environment }}
{{- end }}
{{- include "kontoport.settingsEnv" . }}
{{- end -}}

{{/* The connection to a collector: authorities, client certificate, headers. Takes the values of tracing. */}}
{{- define "kontoport.collectorEnv" -}}
{{- if or .tls.caFrom.configMap .tls.caFrom.secret }}
- { name: OTEL_EXPORTER_OTLP_CERTIFICATE, value: /etc/kontoport/tracing-tls/ca.crt }
{{- end }}
{{- if .tls.clientCertificate }}
- { name: OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE, value: /etc/kontoport/tracing-tls/tls.crt }
- { name: OTEL_EXPORTER_OTLP_CLIENT_KEY, value: /etc/kontoport/tracing-tls/tls.key }
{{- end }}
{{- with .headers }}
{{- if .existingSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .existingSecret | quote }}, key: {{ .key | quote }} } }
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings of a service over those of all, as YAML. Takes a service. */}}
{{- define "kontoport.settings" -}}
{{- $settings := mergeOverwrite (deepCopy .root.Values.settings) (.own.settings | default dict) -}}
{{- /* YAML reads an unquoted `off` as false. */}}
{{- if kindIs "bool" $settings.revocation }}{{ $_ := set $settings "revocation" "off" }}{{ end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Settings: the variable of a key is the key in capitals. One that is null keeps the default of the service. */}}
{{- define "kontoport.settingsEnv" -}}
{{- range $key, $value := include "kontoport.settings" . | fromYaml }}
{{- if not (kindIs "invalid" $value) }}
- { name: {{ snakecase $key | upper }}, value: {{ include "kontoport.plain" $value | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* A number as it was written: Helm makes 1e+06 of a million. */}}
{{- define "kontoport.plain" -}}
{{- if kindIs "float64" . -}}
{{- if eq (float64 (int64 .)) . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- define "kontoport.databaseEnv" -}}
{{- if not .inMemory }}
{{- include "kontoport.tlsEnv" (dict "prefix" "DATABASE" "tls" .root.Values.database.tls "certificate" .own.databaseCertificate) }}
{{- end }}
{{- end -}}

{{- define "kontoport.kafkaEnv" -}}
{{- $kafka := .root.Values.kafka }}
- { name: KAFKA_BROKERS, value: {{ join "," $kafka.brokers | quote }} }
{{- include "kontoport.tlsEnv" (dict "prefix" "KAFKA" "tls" $kafka.tls "certificate" .own.kafkaCertificate) }}
{{- $name := .own.kafkaUsername | default .name }}
{{- with $kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ . }} }
{{- if eq . "OAUTHBEARER" }}
- { name: KAFKA_SASL_OAUTH_TOKEN_URL, value: {{ $kafka.sasl.oauthTokenUrl | quote }} }
- { name: KAFKA_SASL_OAUTH_CLIENT_ID, value: {{ $name | quote }} }
{{- with $kafka.sasl.oauthScope }}
- { name: KAFKA_SASL_OAUTH_SCOPE, value: {{ . | quote }} }
{{- end }}
{{- else }}
- { name: KAFKA_SASL_USERNAME, value: {{ $name | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* TLS to a backing service: prefix, tls, certificate. */}}
{{- define "kontoport.tlsEnv" -}}
{{- $folder := printf "/etc/kontoport/%s-tls" (lower .prefix) }}
{{- if .tls.ca }}
- { name: {{ .prefix }}_TLS_CA, value: {{ .tls.ca }} }
{{- else if or .tls.caFrom.configMap .tls.caFrom.secret }}
- { name: {{ .prefix }}_TLS_CA, value: {{ $folder }}/ca.crt }
{{- end }}
{{- if .certificate }}
- { name: {{ .prefix }}_TLS_CERT, value: {{ $folder }}/tls.crt }
- { name: {{ .prefix }}_TLS_KEY, value: {{ $folder }}/tls.key }
{{- end }}
{{- end -}}

{{- define "kontoport.internalTlsEnv" -}}
{{- if eq (include "kontoport.internalTls" .root) "true" }}
- { name: INTERNAL_TLS_CERT_FILE, value: /etc/kontoport/internal-tls/tls.crt }
- { name: INTERNAL_TLS_KEY_FILE, value: /etc/kontoport/internal-tls/tls.key }
- { name: INTERNAL_TLS_CA_FILE, value: /etc/kontoport/internal-tls/ca.crt }
{{- else if eq .root.Values.internalTls.type "none" }}
- { name: INTERNAL_TLS, value: "off" }
{{- end }}
{{- end -}}

{{/* The secrets that a service needs here: variable → {name, key} of a Secret. */}}
{{- define "kontoport.secrets" -}}
{{- $service := . -}}
{{- $variables := concat .row.needs (ternary (list) (list "DATABASE_URL") .inMemory) -}}
{{- $mechanism := .root.Values.kafka.sasl.mechanism -}}
{{- if and .row.kafka $mechanism -}}
{{- $variables = append $variables (ternary "KAFKA_SASL_OAUTH_CLIENT_SECRET" "KAFKA_SASL_PASSWORD" (eq $mechanism "OAUTHBEARER")) -}}
{{- end -}}
{{- if (.own.settings | default dict).callbackProxyUsername -}}
{{- $variables = append $variables "CALLBACK_PROXY_PASSWORD" -}}
{{- end -}}
EDGE_SECRET:
  name: {{ include "kontoport.edgeSecretName" .root | quote }}
  key: {{ include "kontoport.edgeAcceptedKey" .root | quote }}
{{- range $variables }}
{{- $given := index ($service.own.secrets | default dict) (camelcase (lower .) | untitle) | default dict }}
{{ . }}:
  name: {{ $given.name | default (include "kontoport.secretName" $service) | quote }}
  key: {{ $given.key | default . | quote }}
{{- end }}
{{- end -}}
