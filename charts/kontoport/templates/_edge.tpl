{{/* The services of each address, as in docs/edge. */}}
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

{{/* Of each ClientTrafficPolicy: removes the edge's own headers from requests, and limits connections. Takes root, and `hsts` for
browsers. */}}
{{- define "kontoport.envoyClient" -}}
headers:
  {{- if .hsts }}
  lateResponseHeaders:
    set: [{ name: Strict-Transport-Security, value: max-age=31536000 }]
  {{- end }}
  # X-Request-ID names a request of POST /tpp: the edge forwards it unchanged and creates none.
  requestID: Preserve
  withUnderscoresAction: DropHeader
  # The element of this connection only, and nothing from the caller.
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

{{/* A configuration of docs/edge with its placeholders replaced. Takes root, file, values. */}}
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
{{- /* 0 is no limit: more than can exist. */}}
CONNECTIONS_PER_SOURCE: {{ .Values.edge.haproxy.connectionsPerSource | default 2147483647 | int | quote }}
CONNECTION_RATE_PER_SOURCE: {{ .Values.edge.haproxy.connectionRatePerSource | default 2147483647 | int | quote }}
EDGE_SECRET: '%[env(EDGE_SECRET)]'
SERVER_PEM: /etc/edge/server/server.pem
SOCKETS: /tmp
NAMES_HOST: '*'
NAMES_PORT: "8440"
OPS_HOST: '*'
OPS_PORT: "8404"
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
{{- end }}
{{- range $name := list "base" "registration" "auth" "user" }}
{{ upper $name }}_NAME: {{ (urlParse (index $.Values.urls $name)).hostname }}
{{- end }}
{{- end -}}

{{/* The image of the edge's pods. */}}
{{- define "kontoport.edgeImage" -}}
{{- $image := (index .Values.edge .Values.edge.type).image -}}
{{- with $image.registry | default .Values.image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag }}{{ end -}}
{{- end -}}

{{/* The port of the edge's pods for an address: HAProxy has a frontend for each, Traefik selects by name. */}}
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

{{/* A configuration that calls the services over TLS, with the edge's certificate. Takes the configuration. */}}
{{- define "kontoport.internalTls.haproxy" -}}
{{- regexReplaceAll "server service ([^:\\s]+):([0-9]+)" . "server service ${1}:${2} ssl verify required ca-file /etc/edge/internal/ca.crt crt /etc/edge/internal/client.pem verifyhost ${1} sni str(${1})" -}}
{{- end -}}

{{/* The same. Traefik verifies the certificate for the host of the URL. */}}
{{- define "kontoport.internalTls.traefik" -}}
{{- . | replace "url: 'http://" "url: 'https://" | replace "loadBalancer:\n" "loadBalancer:\n        serversTransport: internal\n" }}
  serversTransports:
    internal:
      rootCAs: [/etc/edge/internal/ca.crt]
      certificates:
        - certFile: /etc/edge/internal/client.pem
          keyFile: /etc/edge/internal/client.pem.key
{{- end -}}
