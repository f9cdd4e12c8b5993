package io.rowqueue.worker.internal.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.Cause;
import io.rowqueue.operate.MessageDetails.Counts;
import io.rowqueue.operate.MessageDetails.Row;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.MessageProgress;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.worker.internal.cli.Converters.Moment;
import io.rowqueue.worker.internal.cli.MessageTexts.ExternalBodyLength;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** What operators read, and what their programs do. */
class OperatorTextsTest {

  private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678901Z");
  private static final DeadLetter DEAD =
      new DeadLetter(
          new MessageId(7),
          new Topic("email.send"),
          DeadLetterReason.CLAIMS_LOST,
          "three claims died\u001b[31m\u202E\nand more",
          4,
          1,
          3,
          AT,
          AT.plusSeconds(60));
  private static final FailedAttempt ATTEMPT =
      new FailedAttempt(
          1, 2, "h-1-x", AT, "a.B", "no smtp", "a.B: no smtp\n\tat a.C.d(C.java:1)\n");

  private static final String ATTEMPTS_JSON =
      "\"failedAttempts\":[{\"attempt\":1,\"claimNumber\":2,\"worker\":\"h-1-x\","
          + "\"failedAt\":\"2026-01-02T03:04:05.678901Z\",\"errorClass\":\"a.B\","
          + "\"errorMessage\":\"no smtp\","
          + "\"trace\":\"a.B: no smtp\\n\\tat a.C.d(C.java:1)\\n\"}]";

  private static String json(Consumer<ObjectNode> fill) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    fill.accept(root);
    return root.toString();
  }

  @Test
  void messagesFound_sayIfTheSearchStopped() {
    assertThat(MessageTexts.table(List.of(), true)).isEqualTo("No messages.");
    assertThat(MessageTexts.table(List.of(), false))
        .isEqualTo(
            "No messages.\n\nThe search stopped after 10 s, and there are more messages; add"
                + " --topic or --state.");
    assertThat(json(root -> MessageTexts.fill(root, List.of(), false)))
        .isEqualTo("{\"allExamined\":false,\"messages\":[]}");
  }

  @Test
  void deadLetters_table_isAlignedAndSaysWhatIsMissing() {
    assertThat(DeadLetterTexts.table(List.of(DEAD), 12))
        .isEqualTo(
            """
            ID  TOPIC       REASON       FAILED  LOST  DEAD SINCE            DETAIL
            7   email.send  claims-lost       1     3  2026-01-02T03:05:05Z  three claims died\uFFFD[31m\uFFFD

            These are 1 of 12; --limit shows more.\
            """);
    assertThat(DeadLetterTexts.table(List.of(DEAD), 1)).doesNotContain("--limit");
    assertThat(DeadLetterTexts.table(List.of(), 0)).isEqualTo("No dead letters.");
  }

  @Test
  void deadLetter_alone_hasEveryErrorAndNothingThatSteersATerminal() {
    assertThat(DeadLetterTexts.one(DEAD, List.of(ATTEMPT)))
        .startsWith("id          7\ntopic       email.send\n")
        .endsWith(
            """
              three claims died\uFFFD[31m\uFFFD
              and more

            Attempt 1 failed at 2026-01-02T03:04:05.678901Z, claim 2 of h-1-x:
              a.B: no smtp
              	at a.C.d(C.java:1)\
            """);
  }

  @Test
  void deadLetter_json_keepsItsNames() {
    String one =
        "\"id\":7,\"topic\":\"email.send\",\"reason\":\"claims-lost\",\"detail\":\"three claims"
            + " died\\u001B[31m\u202E\\n"
            + "and more\",\"claims\":4,\"attempts\":1,"
            + "\"lost\":3,\"createdAt\":\"2026-01-02T03:04:05.678901Z\","
            + "\"deadAt\":\"2026-01-02T03:05:05.678901Z\"";
    assertThat(json(root -> DeadLetterTexts.fill(root, List.of(DEAD), 12)))
        .isEqualTo("{\"matching\":12,\"deadLetters\":[{" + one + "}]}");
    assertThat(json(root -> DeadLetterTexts.fill(root, DEAD, List.of(ATTEMPT))))
        .isEqualTo("{" + one + "," + ATTEMPTS_JSON + "}");
  }

  private static MessageDetails found(byte[] payload, @Nullable String headers) {
    return new MessageDetails(
        new MessageId(5),
        MessageLocation.IN_FLIGHT,
        new Row(
            "email.send",
            -3,
            new Counts(3, 2, 1),
            AT,
            AT,
            AT.plusSeconds(1),
            "h-1-x",
            null,
            null,
            new StoredBody(payload, headers)),
        List.of(ATTEMPT));
  }

  @Test
  void message_withoutAsking_showsNeitherPayloadNorHeaders() {
    MessageDetails found = found("{\"secret\":1}".getBytes(UTF_8), "{\"token\":\"s3\"}");
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, false))
        .isEqualTo(
            """
            id        5
            state     in-flight
            topic     email.send
            priority  -3
            claims    3
            failed    2
            lost      1
            enqueued  2026-01-02T03:04:05.678901Z
            due       2026-01-02T03:04:05.678901Z
            claimed   2026-01-02T03:04:06.678901Z
            worker    h-1-x
            payload   12 bytes

            Attempt 1 failed at 2026-01-02T03:04:05.678901Z, claim 2 of h-1-x:
              a.B: no smtp
              	at a.C.d(C.java:1)\
            """);
    assertThat(json(root -> MessageTexts.fill(root, found, ExternalBodyLength.NONE, false)))
        .isEqualTo(
            "{\"id\":5,\"state\":\"in-flight\",\"topic\":\"email.send\","
                + "\"orderingKey\":null,\"priority\":-3,"
                + "\"claims\":3,\"attempts\":2,\"lost\":1,"
                + "\"createdAt\":\"2026-01-02T03:04:05.678901Z\","
                + "\"dueAt\":\"2026-01-02T03:04:05.678901Z\","
                + "\"since\":\"2026-01-02T03:04:06.678901Z\",\"worker\":\"h-1-x\",\"reason\":null,"
                + "\"detail\":null,\"progress\":null,\"cancelRequestedAt\":null,"
                + "\"cancelRequestedBy\":null,"
                + ATTEMPTS_JSON
                + ",\"payloadBytes\":12,\"wrappedBy\":null}");
  }

  @Test
  void message_inFlight_saysHowFarItIsAndWhoWantsItCancelled() {
    MessageDetails quiet = found(new byte[0], null);
    MessageDetails found =
        new MessageDetails(
            quiet.id(),
            quiet.place(),
            quiet.row(),
            List.of(),
            new MessageProgress(17, 40L, "part\u001b", AT),
            new CancelRequest(AT, "ada@h"));
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, false))
        .contains("progress      17 of 40 (42 %), \"part\uFFFD\"\n")
        .contains("reported      2026-01-02T03:04:05.678901Z\n")
        .contains("cancellation  requested at 2026-01-02T03:04:05.678901Z by ada@h\n");
    assertThat(json(root -> MessageTexts.fill(root, found, ExternalBodyLength.NONE, false)))
        .contains(
            "\"progress\":{\"done\":17,\"total\":40,\"note\":\"part\\u001B\",\"at\":\""
                + "2026-01-02T03:04:05.678901Z\"},\"cancelRequestedAt\":\"2026-01-02T03:04:05.678901Z\","
                + "\"cancelRequestedBy\":\"ada@h\"");
  }

  @Test
  void message_asked_showsBoth() {
    MessageDetails found = found("{\"a\":\"\u001b\"}".getBytes(UTF_8), "{\"token\":\"s3\"}");
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, true))
        .endsWith("\n\nheaders\n  {\"token\":\"s3\"}\n\npayload\n  {\"a\":\"\uFFFD\"}");
    assertThat(json(root -> MessageTexts.fill(root, found, ExternalBodyLength.NONE, true)))
        .endsWith(
            ",\"headers\":{\"token\":\"s3\"},\"payload\":\"{\\\"a\\\":\\\"\\u001B\\\"}\","
                + "\"payloadCut\":false,\"payloadUtf8\":true}");
  }

  @Test
  void message_longPayload_isCutBetweenCharacters() {
    String text = "x".repeat(MessageTexts.SHOWN - 1) + "\uD83D\uDE00yz";
    MessageDetails found = found(text.getBytes(UTF_8), null);
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, true))
        .contains("headers\n  none")
        .contains("x…\n")
        .endsWith("(4,095 of 4,099 characters; --out FILE writes the payload into a file)");
    assertThat(json(root -> MessageTexts.fill(root, found, ExternalBodyLength.NONE, true)))
        .contains("x\",\"payloadCut\":true")
        .doesNotContain("\uD83D");
  }

  @Test
  void message_payloadThatIsNoText_isNotGuessedAt() {
    MessageDetails found = found(new byte[] {(byte) 0xff, 0}, "{broken");
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, true))
        .endsWith("not UTF-8; --out FILE writes it into a file");
    assertThat(json(root -> MessageTexts.fill(root, found, ExternalBodyLength.NONE, true)))
        .contains("\"headers\":\"{broken\",\"payload\":null,\"payloadCut\":false")
        .contains("\"payloadUtf8\":false");
  }

  @Test
  void message_deadLetter_hasItsReason() {
    MessageDetails found =
        new MessageDetails(
            new MessageId(5),
            MessageLocation.DEAD_LETTER,
            new Row(
                "t",
                0,
                new Counts(1, 1, 0),
                AT,
                AT,
                AT,
                "h",
                new Cause("undecodable", "no JSON\nat all"),
                "customer-42\u001b",
                new StoredBody(new byte[1], null)),
            List.of());
    assertThat(MessageTexts.of(found, ExternalBodyLength.NONE, false))
        .contains(
            "\nordering key  customer-42",
            "\ndead since    2026",
            "\nreason        undecodable\n",
            "\ndetail        no JSON\n")
        .doesNotContain("\u001b")
        .endsWith("payload       1 byte");
  }

  @Test
  void topics_settingsAndDepth_areJoinedByName() {
    QueueStatus status =
        new QueueStatus(
            AT,
            List.of(
                new TopicStatus("b", 5, 4, 6, 3, 2, Duration.ofSeconds(9)),
                new TopicStatus("c", 0, 0, 0, 0, 0, null)),
            List.of());
    List<TopicTexts.Line> lines =
        TopicTexts.lines(
            status,
            List.of(
                new TopicInfo(
                    "a",
                    true,
                    TopicSettings.NONE.withKeyInFlight(2).withKeyPerSecond(5),
                    false,
                    DeadLetterPolicy.BLOCK),
                new TopicInfo(
                    "b",
                    false,
                    TopicSettings.NONE
                        .withRetentionDays(30)
                        .withMaxInFlight(20)
                        .withMaxPerSecond(50)
                        .withWeight(3)
                        .withMaxDepth(9L),
                    true,
                    DeadLetterPolicy.SKIP)));
    assertThat(TopicTexts.table(lines))
        .isEqualTo(
            """
            TOPIC  PAUSED  ARCHIVE                              LIMITS  AVAILABLE  SCHEDULED  BLOCKED  IN FLIGHT  DEAD LETTERS  OLDEST AVAILABLE  FULL
            a      yes           -            2 of a key, 5/s of a key          0          0        0          0             0                 -  -
            b      no      30 days  20 at once, 50/s, weight 3, 9 deep          5          4        6          3             2              9.0s  yes
            c      no            -                                   -          0          0        0          0             0                 -  -\
            """);
    assertThat(json(root -> TopicTexts.fill(root, AT, lines)))
        .startsWith("{\"at\":\"2026-01-02T03:04:05.678901Z\",\"topics\":[{\"topic\":\"a\",")
        .contains("\"oldestAvailableSeconds\":null,\"paused\":true,\"retentionDays\":null,")
        .contains(
            "\"maxInFlight\":null,\"maxPerSecond\":null,\"keyInFlight\":2,\"keyPerSecond\":5,")
        .contains("\"oldestAvailableSeconds\":9.0,\"paused\":false,\"retentionDays\":30,")
        .contains(
            "\"weight\":3,\"maxDepth\":9,\"maxAgeSeconds\":null,\"full\":true,\"onDeadLetter\":\"skip\"}");
    assertThat(TopicTexts.table(List.of())).isEqualTo("No topics.");
  }

  @Test
  void lines_showTheirHeadsAndWhoWaits() {
    List<OrderingKeyDetails> lines =
        List.of(
            new OrderingKeyDetails(
                "customer-42", new MessageId(7), MessageLocation.DEAD_LETTER, 3, 12),
            new OrderingKeyDetails("b\u001b", null, null, 0, 1));
    assertThat(TopicTexts.lineTable(lines))
        .startsWith(
            """
            WAITING  CONCURRENT  FIRST MESSAGE  STATE        ORDERING KEY
                 12           3              7  dead-letter  customer-42
                  1           0              -  -            b\
            """)
        .doesNotContain("\u001b");
    assertThat(TopicTexts.lineTable(List.of())).isEqualTo("No ordering keys.");
    assertThat(json(root -> TopicTexts.fill(root, lines)))
        .startsWith(
            "{\"orderingKeys\":[{\"orderingKey\":\"customer-42\",\"firstMessage\":7,\"state\":\"dead-letter\","
                + "\"concurrent\":3,\"waiting\":12},")
        .contains("\"firstMessage\":null,\"state\":null,\"concurrent\":0,\"waiting\":1}");
  }

  @Test
  void topic_thatNobodyKnows_isRefusedWithTheNearestNames() {
    Topic misspelt = new Topic("emial.send");
    Set<String> known = Set.of("email.send", "email.sent", "order,placed", "webhook.post");
    assertThatThrownBy(() -> TopicCommands.refuseUnknown(misspelt, known))
        .isInstanceOf(QueueCommand.Refusal.class)
        .hasMessage(
            "topic 'emial.send' was not changed: it has no message, dead letter, setting or live"
                + " worker; nearest: email.send,email.sent,order\\,placed; --force changes it"
                + " anyway");
    assertThatThrownBy(() -> TopicCommands.refuseUnknown(misspelt, Set.of()))
        .hasMessageContaining("live worker; no topic has any; --force");
    assertThatCode(() -> TopicCommands.refuseUnknown(new Topic("email.sent"), known))
        .doesNotThrowAnyException();
  }

  @Test
  void workers_showWhetherTheyDrainOrArePaused() {
    WorkerStatus status =
        new WorkerStatus("h-1-x", "h", 1, "0.1", Duration.ofSeconds(-1), List.of("a", "b,c"));
    List<ListedWorker> workers =
        List.of(
            new ListedWorker(status, AT, true, false, null),
            new ListedWorker(
                status, AT, false, true, new WorkerLoad(16, 3, 4_711, 12.5, 200 << 20, 1 << 30)));
    assertThat(WorkerCommands.table(workers))
        .isEqualTo(
            """
            WORKER  HOST  PID  LEASE LEFT  VERSION  STARTED               STATE     BUSY     ATTEMPTS/S  MEMORY   TOPICS
            h-1-x   h       1     expired  0.1      2026-01-02T03:04:05Z  draining  -        -           -        a,b\\,c
            h-1-x   h       1     expired  0.1      2026-01-02T03:04:05Z  paused    3 of 16  12.5        200 MiB  a,b\\,c\
            """);
    assertThat(json(root -> WorkerCommands.fill(root, workers)))
        .startsWith("{\"workers\":[{\"lockId\":\"h-1-x\",\"host\":\"h\",\"pid\":1,")
        .contains(
            "\"startedAt\":\"2026-01-02T03:04:05.678901Z\",\"draining\":true,\"paused\":false,\"threads\":null,",
            "\"threads\":16,\"busyThreads\":3,\"handled\":4711,\"handledPerSecond\":12.5,\"memoryUsedBytes\":209715200,\"memoryMaxBytes\":1073741824}");
    assertThat(WorkerCommands.table(List.of())).isEqualTo("No worker is alive.");
  }

  @Test
  void moment_backOrInstant_isRead() {
    assertThat(Moment.parse("2h").of().apply(AT)).isEqualTo(AT.minusSeconds(7_200));
    assertThat(Moment.parse("PT5M").of().apply(AT)).isEqualTo(AT.minusSeconds(300));
    assertThat(Moment.parse("2026-01-02T04:00:00+01:00").of().apply(AT))
        .isEqualTo("2026-01-02T03:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-01-02", "2026-01-02T03:00:00", "2 o'clock", "-PT5M", "5", ""})
  void moment_withoutAZoneOrSense_isRefused(String text) {
    assertThatThrownBy(() -> Moment.parse(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
