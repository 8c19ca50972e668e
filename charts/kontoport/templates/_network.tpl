{{/* `from` or `to` with the peers, or nothing: everybody. Takes side and peers. */}}
{{- define "kontoport.peers" -}}
{{- with .peers }}
  {{ $.side }}:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{- define "kontoport.egress.dns" -}}
- ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - { port: {{ . }}, protocol: UDP }
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- include "kontoport.peers" (dict "side" "to" "peers" .Values.networkPolicy.dns.to) }}
{{- end -}}

{{- define "kontoport.egress.database" -}}
- ports:
    - { port: {{ .Values.networkPolicy.database.port }}, protocol: TCP }
{{- include "kontoport.peers" (dict "side" "to" "peers" .Values.networkPolicy.database.to) }}
{{- end -}}

{{/* The ports of `host:port`s, each once. */}}
{{- define "kontoport.portsOf" -}}
{{- $seen := list -}}
{{- range . -}}
{{- $seen = append $seen (regexFind "[0-9]+$" .) -}}
{{- end }}
{{- range uniq $seen }}
    - { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end -}}

{{/* The port of a URL. */}}
{{- define "kontoport.portOfUrl" -}}
{{- $url := urlParse . -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{/* The public internet: ports (none: all of TCP). Takes root, ports, also (more blocks). */}}
{{- define "kontoport.egress.public" -}}
{{- $public := .root.Values.networkPolicy.publicInternet -}}
- to:
    - ipBlock: { cidr: 0.0.0.0/0, except: {{ toJson $public.except }} }
    - ipBlock: { cidr: "::/0", except: {{ toJson $public.exceptIPv6 }} }
    {{- range .also }}
    - ipBlock: { cidr: {{ include "kontoport.block" . | quote }} }
    {{- end }}
  ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- else }}
    - { port: 1, endPort: 65535, protocol: TCP }
    {{- end }}
{{- end -}}

{{/* A block of addresses: of one address it is the address alone. */}}
{{- define "kontoport.block" -}}
{{- $address := trim . -}}
{{- if contains "/" $address }}{{ $address }}{{ else if contains ":" $address }}{{ $address }}/128{{ else }}{{ $address }}/32{{ end -}}
{{- end -}}

{{/* A name server: an address, in brackets where it is one of IPv6 with a port, or address:port. */}}
{{- define "kontoport.egress.nameServer" -}}
{{- $form := "^(?:\\[(.*)\\]|([0-9.]+))(?::([0-9]+))?$" -}}
{{- $port := regexReplaceAll $form . "${3}" -}}
{{- if or (not $port) (eq $port .) }}{{ $port = "53" }}{{ end -}}
- to:
    - ipBlock: { cidr: {{ include "kontoport.block" (regexReplaceAll $form . "${1}${2}") | quote }} }
  ports:
    - { port: {{ $port }}, protocol: UDP }
    - { port: {{ $port }}, protocol: TCP }
{{- end -}}

{{/* The pods of a component as a peer. Takes root and component. */}}
{{- define "kontoport.podsOf" -}}
podSelector:
  matchLabels:
    {{- include "kontoport.selector" . | nindent 4 }}
{{- end -}}

{{/* Where the edge calls from. */}}
{{- define "kontoport.edgePeers" -}}
{{- $edge := .Values.edge -}}
{{- if has $edge.type (list "haproxy" "traefik") }}
- {{ include "kontoport.podsOf" (dict "root" . "component" "edge") | nindent 2 | trim }}
{{- else if eq $edge.type "envoyGateway" }}
- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ $edge.envoyGateway.namespace | quote }} } }
  podSelector: { matchLabels: { gateway.envoyproxy.io/owning-gateway-name: {{ include "kontoport.fullname" . | quote }}, gateway.envoyproxy.io/owning-gateway-namespace: {{ .Release.Namespace | quote }} } }
{{- else if not .Values.networkPolicy.edge.from }}
{{- range $edge.addresses }}
- ipBlock: { cidr: {{ include "kontoport.block" . | quote }} }
{{- end }}
{{- end }}
{{- with .Values.networkPolicy.edge.from }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The allowed callers of a service, and the peers that it may call. Takes a service. */}}
{{- define "kontoport.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  podSelector:
    matchLabels:
      {{- include "kontoport.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- include "kontoport.ingress" . | nindent 4 }}
  egress:
    {{- include "kontoport.egress" . | nindent 4 }}
{{- end -}}

{{- define "kontoport.ingress" -}}
{{- $root := .root -}}
{{- $policy := $root.Values.networkPolicy -}}
# The edge.
- from:
    {{- include "kontoport.edgePeers" $root | nindent 4 }}
  ports:
    - { port: http, protocol: TCP }
    {{- if .row.ports.user }}
    - { port: user, protocol: TCP }
    {{- end }}
{{- if eq .key "auth" }}
# Keys of tokens.
- from:
    {{- range $key, $_ := include "kontoport.table" $root | fromYaml }}
    - {{ include "kontoport.podsOf" (dict "root" $root "component" (kebabcase $key)) | nindent 6 | trim }}
    {{- end }}
  ports:
    - { port: http, protocol: TCP }
{{- end }}
{{- if .row.callers }}
# Callers of its rpcs.
- from:
    {{- range .row.callers }}
    - {{ include "kontoport.podsOf" (dict "root" $root "component" (kebabcase .)) | nindent 6 | trim }}
    {{- end }}
    {{- if eq .key "accountInformation" }}
    {{- with $policy.bank.from }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
  ports:
    - { port: grpc, protocol: TCP }
{{- end }}
# Scrapers of its metrics.
- from:
    {{- with $policy.metrics.from }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    - {{ include "kontoport.podsOf" (dict "root" $root "component" "test") | nindent 6 | trim }}
  ports:
    - { port: ops, protocol: TCP }
# helm test.
- from:
    - {{ include "kontoport.podsOf" (dict "root" $root "component" "test") | nindent 6 | trim }}
  ports:
    - { port: http, protocol: TCP }
    {{- if .row.ports.user }}
    - { port: user, protocol: TCP }
    {{- end }}
{{- with .own.extraIngress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "kontoport.egress" -}}
{{- $service := . -}}
{{- $root := .root -}}
{{- $policy := $root.Values.networkPolicy -}}
{{ include "kontoport.egress.dns" $root }}
# Keys of tokens, and the rpcs that it calls.
- to:
    - {{ include "kontoport.podsOf" (dict "root" $root "component" "auth") | nindent 6 | trim }}
  ports:
    - { port: http, protocol: TCP }
{{- range $key, $row := include "kontoport.table" $root | fromYaml }}
{{- if has $service.key $row.callers }}
- to:
    - {{ include "kontoport.podsOf" (dict "root" $root "component" (kebabcase $key)) | nindent 6 | trim }}
  ports:
    - { port: grpc, protocol: TCP }
{{- end }}
{{- end }}
{{- if not .inMemory }}
{{ include "kontoport.egress.database" $root }}
{{- end }}
{{- if .row.kafka }}
- ports:
    {{- include "kontoport.portsOf" $root.Values.kafka.brokers }}
{{- include "kontoport.peers" (dict "side" "to" "peers" $policy.kafka.to) }}
{{- if and (eq $root.Values.kafka.sasl.mechanism "OAUTHBEARER") }}
- ports:
    - { port: {{ include "kontoport.portOfUrl" $root.Values.kafka.sasl.oauthTokenUrl }}, protocol: TCP }
{{- end }}
{{- end }}
{{- if and .row.bank $root.Values.bank.address }}
- ports:
    {{- include "kontoport.portsOf" (list $root.Values.bank.address) }}
{{- include "kontoport.peers" (dict "side" "to" "peers" $policy.bank.to) }}
{{- end }}
{{- with $root.Values.tracing.endpoint }}
- ports:
    - { port: {{ include "kontoport.portOfUrl" . }}, protocol: TCP }
{{- include "kontoport.peers" (dict "side" "to" "peers" $policy.tracing.to) }}
{{- end }}
{{- $settings := include "kontoport.settings" . | fromYaml }}
{{- if and .row.public (not $settings.callbackProxy) }}
# Callbacks; OCSP and CRL.
{{ include "kontoport.egress.public" (dict "root" $root "ports" list "also" (compact (splitList "," ($settings.callbackAllow | default "")))) }}
{{- else if ne ($settings.revocation | default "soft-fail") "off" }}
# OCSP and CRL.
{{ include "kontoport.egress.public" (dict "root" $root "ports" (list 80 443) "also" list) }}
{{- end }}
{{- range compact (splitList "," ($settings.nameServers | default "")) }}
{{ include "kontoport.egress.nameServer" (trim .) }}
{{- end }}
{{- with $settings.callbackProxy }}
# Callbacks, through the proxy.
- ports:
    - { port: {{ include "kontoport.portOfUrl" . }}, protocol: TCP }
{{- end }}
{{- with .own.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
