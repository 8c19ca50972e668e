{{- define "kontoport.deployment" -}}
{{- $own := .own }}
apiVersion: apps/v1
kind: Deployment
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  {{- if not (or .hpa .keda) }}
  replicas: {{ $own.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    {{- include "kontoport.strategy" . | nindent 4 }}
  selector:
    matchLabels:
      {{- include "kontoport.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "kontoport.labels" (dict "root" .root "component" .component "labels" $own.podLabels) | nindent 8 }}
      annotations:
        {{- $checksum := list (include "kontoport.env" .) (include "kontoport.volumes" .) .root.Values.secretsRevision | toJson | sha256sum }}
        {{- merge (dict "checksum/values" $checksum) ($own.podAnnotations | default dict) (dict "kubectl.kubernetes.io/default-container" .name) | toYaml | nindent 8 }}
    spec:
      {{- include "kontoport.podSpec" . | nindent 6 }}
{{- end -}}

{{- define "kontoport.podSpec" -}}
{{- $own := .own -}}
{{- $volumes := include "kontoport.volumes" . | fromYamlArray -}}
serviceAccountName: {{ .fullname }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if eq .key "registration" }}
# Its Service has ready replicas only, and a replica is ready when it knows the clients: each checks that for itself.
hostAliases:
  - { ip: 127.0.0.1, hostnames: [{{ .fullname }}] }
{{- end }}
{{- include "kontoport.imagePullSecrets" .root }}
securityContext:
  {{- include "kontoport.podSecurity" .root | nindent 2 }}
# preStop, the drain of 25 s, and 5 s for what comes after it.
terminationGracePeriodSeconds: {{ add $own.preStopSeconds 30 }}
{{- if $own.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $own.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "kontoport.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- include "kontoport.placing" $own }}
{{- if eq (include "kontoport.waits" .) "true" }}
initContainers:
  # Waits for the Job, which holds the same lock: the first of them applies the pending migrations.
  - name: migrate
    {{- include "kontoport.migrate" . | nindent 4 }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "kontoport.image" (dict "root" .root "name" .name "image" $own.image) }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    securityContext:
      {{- include "kontoport.containerSecurity" . | nindent 6 }}
    env:
      {{- include "kontoport.env" . | nindent 6 }}
      {{- with $own.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    ports:
      {{- range $port, $number := .row.ports }}
      - { name: {{ $port }}, containerPort: {{ $number }} }
      {{- end }}
    {{- include "kontoport.probes" . | nindent 4 }}
    {{- if $own.preStopSeconds }}
    lifecycle:
      preStop:
        sleep: { seconds: {{ $own.preStopSeconds }} }
    {{- end }}
    resources:
      {{- toYaml $own.resources | nindent 6 }}
    volumeMounts:
      {{- include "kontoport.mounts" $volumes | nindent 6 }}
      {{- with $own.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  {{- include "kontoport.podVolumes" . | nindent 2 }}
  {{- with $own.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The scheduling of a pod by `defaults` and the service. */}}
{{- define "kontoport.placing" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The gRPC health service answers once the server runs; kubelets cannot ask it over mutual TLS. */}}
{{- define "kontoport.probes" -}}
startupProbe:
  {{- if and .row.ports.grpc (ne (include "kontoport.internalTls" .root) "true") }}
  grpc: { port: {{ .row.ports.grpc }} }
  {{- else }}
  httpGet: { path: /livez, port: ops }
  {{- end }}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 5
  # Each part has 2 s to report that it is ready.
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /livez, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{- define "kontoport.clusterService" -}}
apiVersion: v1
kind: Service
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  type: ClusterIP
  {{- include "kontoport.ipFamilies" .root }}
  selector:
    {{- include "kontoport.selector" . | nindent 4 }}
  ports:
    {{- range $port, $number := .row.ports }}
    - name: {{ $port }}
      port: {{ $number }}
      targetPort: {{ $port }}
      {{- if eq $port "grpc" }}
      appProtocol: kubernetes.io/h2c
      {{- end }}
    {{- end }}
{{- end -}}

{{- define "kontoport.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
automountServiceAccountToken: false
{{- end -}}

{{- define "kontoport.podDisruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  maxUnavailable: {{ .own.podDisruptionBudget.maxUnavailable }}
  # A pod that is not ready anyway must not keep a node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "kontoport.selector" . | nindent 6 }}
{{- end -}}

{{- define "kontoport.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .fullname }} }
  minReplicas: {{ .own.autoscaling.minReplicas }}
  maxReplicas: {{ .own.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .own.autoscaling.targetCPUUtilizationPercentage }} }
{{- end -}}

{{- define "kontoport.scaledObject" -}}
{{- $keda := .own.keda }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
{{ include "kontoport.metadata" (dict "root" .root "component" .component "name" .fullname) }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .fullname }} }
  minReplicaCount: {{ $keda.minReplicas }}
  maxReplicaCount: {{ $keda.maxReplicas }}
  pollingInterval: {{ $keda.pollingInterval }}
  cooldownPeriod: {{ $keda.cooldownPeriod }}
  triggers:
    - type: prometheus
      metricType: AverageValue
      metadata:
        serverAddress: {{ $keda.prometheus | quote }}
        query: max(kontoport_webhook_oldest_due_seconds{namespace={{ .root.Release.Namespace | quote }}})
        threshold: {{ $keda.oldestDueSeconds | toString | quote }}
      {{- with $keda.authenticationRef }}
      authenticationRef: { name: {{ . | quote }} }
      {{- end }}
{{- end -}}
