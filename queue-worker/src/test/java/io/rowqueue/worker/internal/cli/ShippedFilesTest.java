package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.MessageProducer;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Holds what is shipped for deployments to the command line as it is. */
class ShippedFilesTest {

  private static final Path DEPLOY = Path.of("..", "deploy");

  /** How long a drain may take when nothing else is said, and what is interrupted after it. */
  private static final Duration DRAIN = Duration.ofSeconds(30 + 5);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final CommandLine program = new ProgramRun().program().model();

  private static List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(DEPLOY)) {
      return all.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private static List<Path> manifests() throws IOException {
    return files(".yml");
  }

  /** Every document of {@code file}, as JSON has it. */
  private static List<JsonNode> documents(Path file) throws IOException {
    List<JsonNode> documents = new ArrayList<>();
    new Yaml()
        .loadAll(Files.readString(file))
        .forEach(document -> documents.add(JSON.valueToTree(document)));
    return documents;
  }

  private static JsonNode document(String file, String kind) throws IOException {
    return documents(DEPLOY.resolve(file)).stream()
        .filter(document -> document.path("kind").asText().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private Set<String> flagsOfRun() {
    return Objects.requireNonNull(CommandTree.commands(program).get("run"))
        .getCommandSpec()
        .options()
        .stream()
        .map(OptionSpec::longestName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> flags(String text) {
    Matcher flag = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*").matcher(text);
    return flag.results().map(found -> found.group()).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void manifest_ofAnyKind_isYaml(Path file) throws IOException {
    assertThat(documents(file)).isNotEmpty().noneMatch(JsonNode::isNull);
  }

  @Test
  void deployment_runsAsNobody_andNamesFlagsAndVariablesThatThereAre() throws IOException {
    JsonNode pod =
        document("kubernetes/rowqueue-worker.yml", "Deployment").at("/spec/template/spec");
    JsonNode worker = pod.at("/containers/0");
    List<String> arguments = new ArrayList<>();
    worker.path("args").forEach(argument -> arguments.add(argument.asText()));
    assertThat(flags(String.join(" ", arguments))).hasSize(5).isSubsetOf(flagsOfRun());
    Set<String> variables =
        CommandTree.keys(program).stream().map(Settings::variable).collect(Collectors.toSet());
    worker
        .path("env")
        .forEach(variable -> assertThat(variables).contains(variable.path("name").asText()));
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(worker.at("/securityContext/readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(worker.at("/securityContext/allowPrivilegeEscalation").asBoolean(true)).isFalse();
  }

  @Test
  void deployment_givesTheDrainItsTime_andProbesWhatIsShown() throws IOException {
    JsonNode pod =
        document("kubernetes/rowqueue-worker.yml", "Deployment").at("/spec/template/spec");
    JsonNode worker = pod.at("/containers/0");
    long before = worker.at("/lifecycle/preStop/sleep/seconds").asLong();
    assertThat(pod.path("terminationGracePeriodSeconds").asLong())
        .isGreaterThan(DRAIN.toSeconds() + before);
    assertThat(worker.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
    assertThat(worker.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/health/ready");
    assertThat(worker.at("/startupProbe/httpGet/path").asText()).isEqualTo("/health/ready");
    assertThat(worker.at("/ports/0/containerPort").asInt()).isEqualTo(9_180);
  }

  /** A name that is written twice is the same both times. */
  @Test
  void deployment_namesPortsFoldersAndVolumesThatItHas() throws IOException {
    String file = "kubernetes/rowqueue-worker.yml";
    JsonNode template = document(file, "Deployment").at("/spec/template");
    JsonNode worker = template.at("/spec/containers/0");
    String port = worker.at("/ports/0/name").asText();
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      assertThat(worker.at("/" + probe + "/httpGet/port").asText()).as(probe).isEqualTo(port);
    }
    assertThat(document(file, "NetworkPolicy").at("/spec/ingress/0/ports/0/port").asText())
        .isEqualTo(port);
    assertThat(template.at("/metadata/annotations").path("prometheus.io/port").asText())
        .isEqualTo(worker.at("/ports/0/containerPort").asText());
    assertThat(template.at("/metadata/annotations").path("prometheus.io/path").asText())
        .isEqualTo("/metrics");
    assertThat(worker.path("volumeMounts").findValuesAsText("name"))
        .containsExactlyInAnyOrderElementsOf(
            texts(template.at("/spec/volumes"), volume -> volume.path("name")));
    List<String> mounts = texts(worker.path("volumeMounts"), mount -> mount.path("mountPath"));
    String password =
        texts(worker.path("env"), variable -> variable.path("value")).stream()
            .filter(value -> value.endsWith("/password"))
            .findFirst()
            .orElseThrow();
    assertThat(mounts).anyMatch(mount -> password.equals(mount + "/password"));
  }

  private static List<String> texts(JsonNode all, Function<JsonNode, JsonNode> of) {
    List<String> texts = new ArrayList<>();
    all.forEach(each -> texts.add(of.apply(each).asText()));
    return texts;
  }

  /**
   * As the command line reads them, values included; the unit's password is where systemd puts it.
   */
  @Test
  void argumentsOfAll_areTaken_andMeanOnePortAndOneFolder() throws IOException {
    JsonNode worker =
        document("kubernetes/rowqueue-worker.yml", "Deployment")
            .at("/spec/template/spec/containers/0");
    List<String> pod = texts(worker.path("args"), argument -> argument);
    String image = Files.readString(DEPLOY.resolve("docker/Dockerfile"));
    List<String> container = texts(JSON.readTree(instruction(image, "CMD")), word -> word);
    String unit = Files.readString(DEPLOY.resolve("systemd/rowqueue-worker.service"));
    List<String> service = List.of(line(unit, "ExecStart").split(" ", -1));
    assertThat(service.get(0)).isEqualTo("/opt/rowqueue/bin/queue-worker");
    for (List<String> words : List.of(pod, container, service.subList(1, service.size()))) {
      program.parseArgs(words.toArray(String[]::new));
      assertThat(after(words, "--admin-port")).isEqualTo(instruction(image, "EXPOSE"));
      assertThat(after(words, "--handlers")).isEqualTo("/opt/rowqueue/handlers");
    }
    assertThat(worker.at("/ports/0/containerPort").asText())
        .isEqualTo(instruction(image, "EXPOSE"));
    assertThat(image).contains(" handlers/ /opt/rowqueue/handlers/");
    assertThat(after(service, "--password-file")).isEqualTo("${CREDENTIALS_DIRECTORY}/password");
    assertThat(line(unit, "LoadCredential")).startsWith("password:/etc/rowqueue/");
    assertThat(Files.exists(Path.of("..", line(unit, "Documentation").split("/rowqueue/", -1)[1])))
        .as("what the unit calls its documentation")
        .isTrue();
  }

  private static String after(List<String> words, String flag) {
    return words.get(words.indexOf(flag) + 1);
  }

  private static String instruction(String image, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + " (.*)$").matcher(image);
    assertThat(line.find()).as(name).isTrue();
    return line.group(1);
  }

  @Test
  void budgetPolicyAndScaling_meanTheSameWorkers() throws IOException {
    String file = "kubernetes/rowqueue-worker.yml";
    JsonNode labels = document(file, "Deployment").at("/spec/template/metadata/labels");
    assertThat(document(file, "PodDisruptionBudget").at("/spec/selector/matchLabels"))
        .isEqualTo(labels);
    assertThat(document(file, "NetworkPolicy").at("/spec/podSelector/matchLabels"))
        .isEqualTo(labels);
    assertThat(
            document("kubernetes/rowqueue-worker-scaling.yml", "ScaledObject")
                .at("/spec/scaleTargetRef/name"))
        .isEqualTo(document(file, "Deployment").at("/metadata/name"));
  }

  @Test
  void unit_namesFlagsThatThereAre_andLetsTheWorkerDrain() throws IOException {
    String unit = Files.readString(DEPLOY.resolve("systemd/rowqueue-worker.service"));
    assertThat(flags(line(unit, "ExecStart"))).hasSize(4).isSubsetOf(flagsOfRun());
    assertThat(Long.parseLong(line(unit, "TimeoutStopSec"))).isGreaterThan(DRAIN.toSeconds());
    assertThat(line(unit, "RestartPreventExitStatus"))
        .isEqualTo(ExitCodes.WRONG_USAGE + " " + ExitCodes.WRONG_SCHEMA);
    assertThat(line(unit, "Type")).isEqualTo("notify");
    assertThat(line(unit, "NotifyAccess")).isEqualTo("all");
  }

  private static String line(String unit, String key) {
    Matcher line = Pattern.compile("(?m)^" + key + "=(.*)$").matcher(unit);
    assertThat(line.find()).as(key).isTrue();
    return line.group(1);
  }

  @Test
  void image_startsTheWorkerWithoutAShell_andNotAsRoot() throws IOException {
    String image = Files.readString(DEPLOY.resolve("docker/Dockerfile"));
    Matcher entry = Pattern.compile("(?m)^(?:ENTRYPOINT|CMD) (.*)$").matcher(image);
    List<String> words = new ArrayList<>();
    while (entry.find()) {
      JSON.readTree(entry.group(1)).forEach(word -> words.add(word.asText()));
    }
    assertThat(words).startsWith("/opt/java/bin/java").contains("run");
    assertThat(flags(String.join(" ", words))).hasSize(3).isSubsetOf(flagsOfRun());
    assertThat(image).containsPattern("(?m)^USER [1-9]\\d*:[1-9]\\d*$");
  }

  @Test
  void image_hasTheModulesOfJavaThatTheWorkerCalls() throws IOException {
    StringWriter modules = new StringWriter();
    PrintWriter out = new PrintWriter(modules, true);
    String[] arguments = {
      "--print-module-deps",
      "--ignore-missing-deps",
      "--multi-release=17",
      classes(MessageProducer.class),
      classes(CommandLineProgram.class)
    };
    assertThat(ToolProvider.findFirst("jdeps").orElseThrow().run(out, out, arguments)).isZero();
    String image = Files.readString(DEPLOY.resolve("docker/Dockerfile"));
    Matcher added = Pattern.compile("\"--add-modules\", \"(.*)\"").matcher(image);
    assertThat(added.find()).isTrue();
    assertThat(added.group(1).split(",")).contains(modules.toString().strip().split(","));
  }

  private static String classes(Class<?> one) {
    return Path.of(URI.create(one.getProtectionDomain().getCodeSource().getLocation().toString()))
        .toString();
  }

  @Test
  void script_ofTheWorker_isRunnable() throws IOException {
    Path script = DEPLOY.resolve("bin/queue-worker");
    assertThat(Files.isExecutable(script)).isTrue();
    assertThat(Files.readString(script)).startsWith("#!/bin/sh\n").contains("exec ");
  }

  @Test
  void alerts_eachSayWhatToDo() throws IOException {
    JsonNode rules = documents(DEPLOY.resolve("prometheus/rowqueue-alerts.yml")).get(0);
    assertThat(rules.at("/groups/0/rules"))
        .hasSizeGreaterThan(9)
        .allSatisfy(
            rule -> {
              assertThat(rule.path("expr").asText()).contains("rowqueue_");
              assertThat(rule.at("/labels/severity").asText()).isIn("warning", "critical");
              assertThat(rule.at("/annotations/summary").asText()).isNotEmpty();
              assertThat(rule.at("/annotations/description").asText()).isNotEmpty();
            });
  }

  @Test
  void alert_forOldMessages_hasTheAgeOfTheDoctor() throws IOException {
    assertThat(Files.readString(DEPLOY.resolve("prometheus/rowqueue-alerts.yml")))
        .contains("rowqueue_oldest_seconds) > " + DoctorSettings.OLD_MESSAGE.toSeconds() + "\n");
  }

  @Test
  void alerts_nameCommandsThatThereAre() throws IOException {
    String rules = Files.readString(DEPLOY.resolve("prometheus/rowqueue-alerts.yml"));
    List<String> commands =
        Pattern.compile("`queue-worker ([^`]+)`")
            .matcher(rules)
            .results()
            .map(found -> found.group(1).replaceAll("\\{\\{[^}]*}}", "mail"))
            .toList();
    assertThat(commands)
        .hasSizeGreaterThan(4)
        .allSatisfy(command -> program.parseArgs(command.split(" ")));
  }

  @Test
  void dashboard_hasPanelsThatAskForSomething() throws IOException {
    JsonNode dashboard = JSON.readTree(DEPLOY.resolve("grafana/rowqueue.json").toFile());
    assertThat(dashboard.path("panels"))
        .hasSizeGreaterThan(15)
        .allSatisfy(panel -> assertThat(panel.at("/targets/0/expr").asText()).isNotEmpty());
  }
}
