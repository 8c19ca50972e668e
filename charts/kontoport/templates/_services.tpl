{{/*
What the services are: the one table that all templates loop over.
  ports      of the container, by name; every one has `ops`
  callers    who asks its gRPC
  pools      connections to its database at most, one number for each pool of a process
  needs      variables that come from secrets always
  kafka, bank, public (callbacks lead anywhere)
*/}}
{{- define "kontoport.table" -}}
registration:
  ports: { http: 8080, grpc: 9090, ops: 9000 }
  callers: [registration, auth, accountInformation, payments, webhookDispatcher]
  pools: [10, 3, 5]
  needs: [CLIENT_SECRET_PEPPER]
  kafka: true
auth:
  ports: { http: 8080, user: 8081, ops: 9000 }
  callers: []
  pools: [10]
  needs: [SECRETS_KEY]
  bank: true
accountInformation:
  ports: { http: 8080, grpc: 9090, ops: 9000 }
  {{- /* All services send answered requests to the request log of the sandbox. */}}
  callers: {{ ternary "[registration, auth, accountInformation, payments, webhookDispatcher]" "[auth, payments]" (eq .Values.environment "sandbox") }}
  pools: [10]
  needs: [SECRETS_KEY]
  kafka: true
payments:
  ports: { http: 8080, grpc: 9090, ops: 9000 }
  callers: [auth]
  pools: [10]
  needs: []
  kafka: true
  bank: true
  inMemory: [sandbox]
webhookDispatcher:
  ports: { http: 8080, ops: 9000 }
  callers: []
  pools: [5, 5]
  needs: [SECRETS_KEY]
  kafka: true
  public: true
{{- end -}}

{{/*
One service, as the other templates take it: root, key, name, component, fullname, row (of the table), own (its values over
the defaults), inMemory (it has no database here), hpa, keda. Takes root and key; gives JSON.
*/}}
{{- define "kontoport.service" -}}
{{- $row := get (include "kontoport.table" .root | fromYaml) .key -}}
{{- $given := index .root.Values.services .key | default dict -}}
{{- $own := mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $given) -}}
{{- $inMemory := has .root.Values.environment ($row.inMemory | default list) -}}
{{- if $inMemory -}}
{{- $_ := set $own "replicas" 1 -}}
{{- $_ := set $own.autoscaling "enabled" false -}}
{{- $_ := set $own "updateStrategy" (dict "type" "Recreate") -}}
{{- end -}}
{{- $keda := and $own.keda $own.keda.enabled | default false -}}
{{- dict "key" .key "name" (kebabcase .key) "component" (kebabcase .key) "row" $row "own" $own "inMemory" $inMemory
    "fullname" (printf "%s-%s" (include "kontoport.fullname" .root) (kebabcase .key))
    "hpa" $own.autoscaling.enabled "keda" $keda | toJson -}}
{{- end -}}

{{/* How the pods of a service are replaced. */}}
{{- define "kontoport.strategy" -}}
{{- with .own.updateStrategy -}}
{{ toYaml . }}
{{- else -}}
type: RollingUpdate
rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
{{- end -}}
{{- end -}}

{{/* How many pods there are beside the most replicas while they are replaced. */}}
{{- define "kontoport.mostBeside" -}}
{{- $strategy := include "kontoport.strategy" . | fromYaml -}}
{{- $surge := dig "rollingUpdate" "maxSurge" "25%" $strategy | toString -}}
{{- if eq ($strategy.type | default "") "Recreate" -}}0
{{- else if hasSuffix "%" $surge -}}
{{- div (add 99 (mul (include "kontoport.mostReplicas" . | int) (trimSuffix "%" $surge | int))) 100 -}}
{{- else -}}{{ $surge }}{{- end -}}
{{- end -}}

{{/* The most replicas that a service may have. */}}
{{- define "kontoport.mostReplicas" -}}
{{- if .keda }}{{ .own.keda.maxReplicas }}{{ else if .hpa }}{{ .own.autoscaling.maxReplicas }}{{ else }}{{ .own.replicas }}{{ end -}}
{{- end -}}
