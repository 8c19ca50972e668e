{{/* What leads where, by address: what docs/edge says, too. */}}
{{- define "kontoport.routes" -}}
base:
  - { service: payments, port: 8080, prefixes: [/payments, /polling, /aisp-pisp/payments, /aisp-pisp/polling] }
  - { service: webhook-dispatcher, port: 8080, prefixes: [/v1/webhook-subscriptions, /aisp-pisp/v1/webhook-subscriptions] }
  - { service: account-information, port: 8080, prefixes: [/] }
registration:
  - { service: registration, port: 8080, prefixes: [/] }
auth:
  - { service: auth, port: 8080, prefixes: [/] }
user:
  - { service: auth, port: 8081, prefixes: [/] }
{{- end -}}

{{/* Of each ClientTrafficPolicy: what only the edge may say is taken from what callers send, and what a caller may hold. Takes
root, and `hsts` for browsers. */}}
{{- define "kontoport.envoyClient" -}}
headers:
  {{- if .hsts }}
  lateResponseHeaders:
    set: [{ name: Strict-Transport-Security, value: max-age=31536000 }]
  {{- end }}
  # One that names a request of POST /tpp goes through as it came, and none is made up.
  requestID: Preserve
  withUnderscoresAction: DropHeader
  # The element of this connection, and nothing that the caller sent.
  xForwardedClientCert:
    mode: SanitizeSet
    certDetailsToAdd: [Chain]
  earlyRequestHeaders:
    remove:
      - client-cert
      - client-cert-chain
      - ssl-client-cert
      - x-ssl-client-cert
      - x-ssl-client-chain
      - x-forwarded-tls-client-cert
      - x-edge-secret
      - forwarded
      - x-forwarded-for
      - x-forwarded-host
      - x-forwarded-port
      - x-forwarded-proto
connection:
  connectionLimit: { value: {{ int .root.Values.edge.envoyGateway.connectionsPerListener }} }
timeout:
  tcp: { tlsHandshakeTimeout: 5s }
  http: { requestReceivedTimeout: 30s, requestHeadersReceivedTimeout: 10s, streamIdleTimeout: 30s, idleTimeout: 30s }
{{- end -}}

{{/* A recipe of docs/edge with what it leaves to be filled in. Takes root, file, values. */}}
{{- define "kontoport.recipe" -}}
{{- $text := .root.Files.Get .file -}}
{{- range $name, $value := .values -}}
{{- $text = replace (printf "@%s@" $name) $value $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- define "kontoport.recipeValues" -}}
{{- $full := include "kontoport.fullname" . -}}
ACCOUNT_INFORMATION_UPSTREAM_HOST: {{ $full }}-account-information
PAYMENTS_UPSTREAM_HOST: {{ $full }}-payments
WEBHOOK_DISPATCHER_UPSTREAM_HOST: {{ $full }}-webhook-dispatcher
REGISTRATION_UPSTREAM_HOST: {{ $full }}-registration
AUTH_UPSTREAM_HOST: {{ $full }}-auth
USER_UPSTREAM_HOST: {{ $full }}-auth
ACCOUNT_INFORMATION_UPSTREAM_PORT: "8080"
PAYMENTS_UPSTREAM_PORT: "8080"
WEBHOOK_DISPATCHER_UPSTREAM_PORT: "8080"
REGISTRATION_UPSTREAM_PORT: "8080"
AUTH_UPSTREAM_PORT: "8080"
USER_UPSTREAM_PORT: "8081"
TRUSTED_CAS: /etc/edge/trusted/ca.crt
{{- if eq .Values.edge.type "haproxy" }}
{{- /* 0 is no bound: more than there can be. */}}
CONNECTIONS_PER_SOURCE: {{ .Values.edge.haproxy.connectionsPerSource | default 2147483647 | int | quote }}
CONNECTION_RATE_PER_SOURCE: {{ .Values.edge.haproxy.connectionRatePerSource | default 2147483647 | int | quote }}
EDGE_SECRET: '%[env(EDGE_SECRET)]'
SERVER_PEM: /etc/edge/server/server.pem
BASE_HOST: '*'
REGISTRATION_HOST: '*'
AUTH_HOST: '*'
USER_HOST: '*'
BASE_PORT: "8441"
REGISTRATION_PORT: "8442"
AUTH_PORT: "8443"
USER_PORT: "8444"
{{- else }}
EDGE_SECRET: '{{ "{{ env \"EDGE_SECRET\" }}" }}'
SERVER_CERTIFICATE: /etc/edge/server/server.pem
SERVER_KEY: /etc/edge/server/server.pem.key
{{- range $name := list "base" "registration" "auth" "user" }}
{{ upper $name }}_NAME: {{ (urlParse (index $.Values.urls $name)).hostname }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The port of the edge's pods for an address: HAProxy has a listener for each, Traefik chooses by name. */}}
{{- define "kontoport.edgePort" -}}
{{- if eq .type "haproxy" -}}
{{- get (dict "base" 8441 "registration" 8442 "auth" 8443 "user" 8444) .address -}}
{{- else -}}8443{{- end -}}
{{- end -}}

{{/* The Secret with the certificate that names the edge to the services, and their authority. */}}
{{- define "kontoport.edgeInternalSecretName" -}}
{{- if eq .Values.internalTls.type "certManager" -}}
{{- include "kontoport.fullname" . }}-edge-internal
{{- else -}}
{{- .Values.edge.internalCertificate -}}
{{- end -}}
{{- end -}}

{{/* A recipe in which the way to the services is TLS, with the edge's certificate. Takes the recipe. */}}
{{- define "kontoport.internalTls.haproxy" -}}
{{- regexReplaceAll "server service ([^:\\s]+):([0-9]+)" . "server service ${1}:${2} ssl verify required ca-file /etc/edge/internal/ca.crt crt /etc/edge/internal/client.pem verifyhost ${1} sni str(${1})" -}}
{{- end -}}

{{/* The same. The name in the service's certificate is verified: it is that of the URL. */}}
{{- define "kontoport.internalTls.traefik" -}}
{{- . | replace "url: 'http://" "url: 'https://" | replace "loadBalancer:\n" "loadBalancer:\n        serversTransport: internal\n" }}
  serversTransports:
    internal:
      rootCAs: [/etc/edge/internal/ca.crt]
      certificates:
        - certFile: /etc/edge/internal/client.pem
          keyFile: /etc/edge/internal/client.pem.key
{{- end -}}
