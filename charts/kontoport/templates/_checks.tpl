{{/* Messages for names that occur twice in a list or that the chart sets itself. Takes at (the key), names, own. */}}
{{- define "kontoport.doubles" -}}
{{- $seen := list -}}
{{- range .names }}
{{- if has . $.own }}
- {{ printf "%s: %s is set by the chart itself" $.at . | quote }}
{{- else if has . $seen }}
- {{ printf "%s: %s occurs twice" $.at . | quote }}
{{- end }}
{{- $seen = append $seen . -}}
{{- end }}
{{- end -}}

{{/* The values of one key in a list of objects, as JSON. Takes key and of. */}}
{{- define "kontoport.pluck" -}}
{{- $found := list -}}
{{- range .of }}{{ $found = append $found (get . $.key) }}{{ end -}}
{{- toJson $found -}}
{{- end -}}

{{/* Messages for what the API server would reject in the pods of a service, after migrations have run. Takes a service. */}}
{{- define "kontoport.podFaults" -}}
{{- $own := .own -}}
{{- $given := index .root.Values.services .key | default dict -}}
{{- $at := dict -}}
{{- range list "extraEnv" "extraVolumes" "extraVolumeMounts" -}}
{{- $_ := set $at . (printf "%s.%s" (ternary (printf "services.%s" $.key) "defaults" (hasKey $given .)) .) -}}
{{- end -}}
{{- $volumes := include "kontoport.podVolumes" . | fromYamlArray -}}
{{- $mounts := include "kontoport.mounts" (include "kontoport.volumes" . | fromYamlArray) | fromYamlArray -}}
{{- range $check := list
    (list "extraEnv" "name" (include "kontoport.env" . | fromYamlArray))
    (list "extraVolumes" "name" $volumes)
    (list "extraVolumeMounts" "mountPath" $mounts) -}}
{{- $key := index $check 1 -}}
{{- $names := include "kontoport.pluck" (dict "key" $key "of" (get $own (first $check) | default list)) | fromJsonArray -}}
{{- $taken := include "kontoport.pluck" (dict "key" $key "of" (last $check)) | fromJsonArray -}}
{{- include "kontoport.doubles" (dict "at" (get $at (first $check)) "names" $names "own" $taken) }}
{{- end }}
{{- $there := include "kontoport.pluck" (dict "key" "name" "of" (concat $volumes ($own.extraVolumes | default list))) | fromJsonArray }}
{{- range $own.extraVolumeMounts }}
{{- if not (has .name $there) }}
- {{ printf "%s: there is no volume %s" $at.extraVolumeMounts .name | quote }}
{{- end }}
{{- end }}
{{- $place := printf "%s.updateStrategy.rollingUpdate" (ternary (printf "services.%s" .key) "defaults" (hasKey $given "updateStrategy")) }}
{{- with ($own.updateStrategy | default dict).rollingUpdate }}
{{- if eq ($own.updateStrategy.type | default "") "Recreate" }}
- {{ printf "%s: set together with type Recreate" $place | quote }}
{{- else if and (has (toString .maxSurge) (list "0" "0%")) (has (toString .maxUnavailable) (list "0" "0%")) }}
- {{ printf "%s: maxSurge and maxUnavailable are both 0" $place | quote }}
{{- end }}
{{- end }}
{{- range $scaler, $isOn := dict "autoscaling" .hpa "keda" .keda }}
{{- if $isOn }}
{{- $bounds := get $own $scaler }}
{{- $own := get $given $scaler | default dict }}
{{- if gt (int $bounds.minReplicas) (int $bounds.maxReplicas) }}
{{- $place := ternary (printf "services.%s" $.key) "defaults" (or (hasKey $own "minReplicas") (hasKey $own "maxReplicas")) }}
- {{ printf "%s.%s.minReplicas: %v is more than maxReplicas, %v" $place $scaler $bounds.minReplicas $bounds.maxReplicas | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Messages for labels that the chart sets itself. */}}
{{- define "kontoport.labelFaults" -}}
{{- $places := dict "commonLabels" (.Values.commonLabels | default dict) "defaults.podLabels" (.Values.defaults.podLabels | default dict) -}}
{{- range $key, $given := .Values.services -}}
{{- $_ := set $places (printf "services.%s.podLabels" $key) (get $given "podLabels" | default dict) -}}
{{- end -}}
{{- range $key := list "serviceMonitor" "prometheusRule" "dashboards" -}}
{{- $_ := set $places (printf "metrics.%s.labels" $key) ((get $.Values.metrics $key).labels | default dict) -}}
{{- end -}}
{{- $own := include "kontoport.ownLabels" (dict "root" . "component" "any") | fromYaml | keys -}}
{{- range $at, $labels := $places }}
{{- include "kontoport.doubles" (dict "at" $at "names" (keys $labels | sortAlpha) "own" $own) }}
{{- end }}
{{- end -}}

{{/* The annotation of the Services of HAProxy by which a load balancer hides the addresses of the callers; empty if there is none. */}}
{{- define "kontoport.hidesSources" -}}
{{- if eq .Values.edge.type "haproxy" -}}
{{- $annotations := .Values.edge.haproxy.service.annotations -}}
{{- $hidden := list -}}
{{- range $name, $value := $annotations -}}
{{- if and (contains "proxy-protocol" $name) (not (has $value (list "" "false"))) -}}
{{- $hidden = append $hidden $name -}}
{{- end -}}
{{- if contains "preserve_client_ip.enabled=false" $value -}}
{{- $hidden = append $hidden $name -}}
{{- end -}}
{{- end -}}
{{- $aws := "service.beta.kubernetes.io/aws-load-balancer" -}}
{{- $attributes := get $annotations (printf "%s-target-group-attributes" $aws) -}}
{{- /* A network load balancer of AWS keeps the addresses of callers for instances, and for pods only if configured. */}}
{{- if and (eq (get $annotations (printf "%s-nlb-target-type" $aws)) "ip") (not (contains "preserve_client_ip.enabled=true" $attributes)) -}}
{{- $hidden = append $hidden (printf "%s-nlb-target-type" $aws) -}}
{{- end -}}
{{- first (append (sortAlpha $hidden) "") -}}
{{- end -}}
{{- end -}}
