# syntax=docker/dockerfile:1
# The worker and the example shop, built from source, for compose.yaml. Dockerfile is the one to deploy.
FROM maven:3-eclipse-temurin-21 AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp -q -DskipTests -pl queue-handlers-example -am package

FROM eclipse-temurin:21-jre
COPY --from=build /src/queue-worker/target/queue-worker.jar /opt/rowqueue/
COPY --from=build /src/queue-handlers-example/target/handlers-example.jar /opt/rowqueue/handlers/
RUN printf '#!/bin/sh\nexec java -jar /opt/rowqueue/queue-worker.jar "$@"\n' >/usr/local/bin/queue-worker && chmod 755 /usr/local/bin/queue-worker
USER 65532:65532
WORKDIR /tmp
ENTRYPOINT ["queue-worker"]
