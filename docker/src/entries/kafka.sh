#!/bin/bash
# Converts KAFKA_* to properties ("___" is "-", "__" is "_", "_" is "."), as the image of Apache Kafka does; then runs the broker.
set -euo pipefail
: "${CLUSTER_ID:=5L6g3nShT-eMCtK--X86sw}"
properties=/tmp/server.properties
: >"$properties"
for variable in ${!KAFKA_*}; do
  case $variable in KAFKA_HEAP_OPTS) continue ;; esac
  name=${variable#KAFKA_}
  name=${name//___/-}
  name=${name//__/@}
  name=${name//_/.}
  name=${name//@/_}
  echo "${name,,}=${!variable}" >>"$properties"
done
java=(java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties -cp '/opt/kafka/libs/*')
"${java[@]}" -Xmx128m kafka.tools.StorageTool format --ignore-formatted -t "$CLUSTER_ID" -c "$properties"
# shellcheck disable=SC2086
exec "${java[@]}" ${KAFKA_HEAP_OPTS:--Xms64m -Xmx384m} kafka.Kafka "$properties"
