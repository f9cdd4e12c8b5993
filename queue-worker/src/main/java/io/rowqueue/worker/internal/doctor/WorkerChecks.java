package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;
import static io.rowqueue.internal.table.Tables.QUEUE_SUBSCRIPTION;

import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopicNames;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/** Checks workers, and whether they handle the topics in use. */
final class WorkerChecks {

  private static final String DEPLOY = "deploy a worker with a handler for it, or correct the name";

  /** Behind a finding that no live worker handles a topic. */
  private static final String HELD = " but those that are paused or draining";

  private static final String RESUME =
      "`queue-worker workers resume` lets paused workers claim again; start others for those that"
          + " drain";

  private static final int MOST_NAMED = 10;

  /** One index lookup each. */
  private static final int MOST_TOPICS = 1_000;

  /** A producer that takes longer has probably died. */
  private static final Duration LONGEST_UNCLOSED = Duration.ofDays(1);

  /** A live worker releases them within seconds after the lease expires. */
  private static final Duration LONGEST_RESCUE = Duration.ofMinutes(2);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private static final QueueCounts.Query OLDEST =
      new QueueCounts.Query(
          Set.of(QueueCounts.Figure.OLDEST), QueueCounts.FROM_THE_START, QueueCounts.MOST);

  private final Transactions transactions;
  private final DoctorSettings settings;

  WorkerChecks(Transactions transactions, DoctorSettings settings) {
    this.transactions = transactions;
    this.settings = settings;
  }

  private List<ListedWorker> workers() {
    return new WorkerReader(transactions).read();
  }

  private static Set<String> topics(Stream<ListedWorker> workers) {
    return workers.flatMap(worker -> worker.status().topics().stream()).collect(Collectors.toSet());
  }

  private Set<String> present() {
    return transactions.read(dsl -> JooqTopicNames.ofMessages(dsl, MOST_TOPICS));
  }

  private List<String> unpaused(TableField<?, String> topic, TableField<?, Byte> paused) {
    return transactions.read(
        dsl ->
            dsl.selectDistinct(topic)
                .from(topic.getTable())
                .where(paused.eq((byte) 0))
                .fetch(topic));
  }

  List<Finding> leases() {
    List<ListedWorker> all = workers();
    List<Finding> findings = new ArrayList<>();
    for (ListedWorker worker : all) {
      if (!worker.isAlive()) {
        WorkerStatus status = worker.status();
        findings.add(
            Finding.warning(
                "workers",
                "%s has not renewed its lease, which ran out %s ago"
                    .formatted(status.lockId(), Finding.duration(status.leaseLeft().negated())),
                "check whether its process hangs or cannot reach the database; another worker"
                    + " declares it dead and releases its messages, so start one if none runs"));
      }
    }
    List<ListedWorker> alive = all.stream().filter(ListedWorker::isAlive).toList();
    if (alive.isEmpty()) {
      findings.add(
          Finding.warning(
              "workers", "no worker is alive, so no message is processed", "start a worker"));
    }
    long draining = alive.stream().filter(ListedWorker::draining).count();
    if (draining > 0) {
      findings.add(
          Finding.warning(
              "workers",
              "%d of %d live workers are draining: they claim nothing"
                  .formatted(draining, alive.size()),
              "each stops when its handlers have ended; start others"));
    }
    long paused = alive.stream().filter(worker -> worker.paused() && !worker.draining()).count();
    if (paused > 0) {
      findings.add(
          Finding.warning(
              "workers",
              "%d of %d live workers are paused: they claim nothing"
                  .formatted(paused, alive.size()),
              RESUME));
    }
    return findings.isEmpty()
        ? List.of(Finding.ok("workers", "%d alive".formatted(all.size())))
        : findings;
  }

  /** If the server rejects the release, it is retried, and the message stays claimed. */
  List<Finding> rescue() {
    List<JooqStranded.Stranded> claimed = JooqStranded.read(transactions);
    if (claimed.isEmpty()) {
      return List.of(Finding.ok("rescue", "no message is claimed by a dead worker"));
    }
    List<JooqStranded.Stranded> all =
        claimed.stream().filter(each -> each.since().compareTo(LONGEST_RESCUE) > 0).toList();
    if (all.isEmpty()) {
      return List.of(
          Finding.ok(
              "rescue",
              "no message has been claimed by a dead worker for more than 2 min; %d for less"
                  .formatted(claimed.size())));
    }
    String advice =
        "live workers release such messages; if one runs, its log has the server's"
            + " error (\"the reaping of message %d was refused\"): fix that"
                .formatted(all.get(0).id());
    List<Finding> findings =
        new ArrayList<>(
            all.stream()
                .limit(MOST_NAMED)
                .map(
                    message ->
                        Finding.problem(
                            "rescue",
                            "message %d of topic '%s' is still claimed by %s, which has been dead or without a lease for %s"
                                .formatted(
                                    message.id(),
                                    message.topic(),
                                    message.lockId(),
                                    Finding.duration(message.since())),
                            advice))
                .toList());
    if (all.size() > MOST_NAMED) {
      findings.add(
          Finding.problem(
              "rescue",
              "%d more messages are like this".formatted(all.size() - MOST_NAMED),
              advice));
    }
    return findings;
  }

  List<Finding> topics() {
    Set<String> present = present();
    return both(
        unhandled(
            "topics",
            "messages of topic '%s' are waiting, and no live worker handles it",
            present,
            DEPLOY),
        cut("topics", present));
  }

  /** All of them; without {@code some} being OK if there are others. */
  private static List<Finding> both(List<Finding> some, List<Finding> others) {
    return others.isEmpty()
        ? some
        : Stream.concat(
                some.stream().filter(finding -> finding.severity() != Severity.OK), others.stream())
            .toList();
  }

  private static List<Finding> cut(String subject, Set<String> present) {
    return present.size() < MOST_TOPICS
        ? List.of()
        : List.of(
            Finding.unknown(
                subject, "only the first %,d topics were checked".formatted(MOST_TOPICS), ""));
  }

  List<Finding> subscriptions() {
    return unhandled(
        "subscriptions",
        "topic '%s' has a subscription, and no live worker handles it",
        unpaused(QUEUE_SUBSCRIPTION.TOPIC, QUEUE_SUBSCRIPTION.PAUSED),
        DEPLOY + "; `queue-worker subscriptions remove` ends the copies");
  }

  List<Finding> schedules() {
    List<Finding> handled =
        unhandled(
            "schedules",
            "a schedule enqueues to topic '%s', and no live worker handles it",
            unpaused(QUEUE_SCHEDULE.TOPIC, QUEUE_SCHEDULE.PAUSED),
            DEPLOY + "; `queue-worker schedules remove` ends the schedule");
    boolean areTriggered = workers().stream().anyMatch(ListedWorker::isAlive);
    return both(handled, new ScheduleChecks(transactions).find(areTriggered));
  }

  private List<Finding> unhandled(
      String subject, String words, Collection<String> named, String advice) {
    List<ListedWorker> alive = workers().stream().filter(ListedWorker::isAlive).toList();
    if (alive.isEmpty()) {
      return List.of(Finding.unknown(subject, "no worker is alive to compare with", ""));
    }
    Set<String> lacking = new TreeSet<>(named);
    lacking.removeAll(topics(alive.stream().filter(ListedWorker::isClaiming)));
    Set<String> held = topics(alive.stream());
    if (lacking.isEmpty()) {
      return List.of(
          Finding.ok(
              subject,
              "live workers handle each topic checked, %d in total".formatted(named.size())));
    }
    List<Finding> findings =
        new ArrayList<>(
            lacking.stream()
                .limit(MOST_NAMED)
                .map(
                    topic ->
                        held.contains(topic)
                            ? Finding.problem(subject, words.formatted(topic) + HELD, RESUME)
                            : Finding.problem(subject, words.formatted(topic), advice))
                .toList());
    if (lacking.size() > MOST_NAMED) {
      findings.add(
          Finding.problem(
              subject,
              "%d more topics are like this".formatted(lacking.size() - MOST_NAMED),
              advice));
    }
    return findings;
  }

  List<Finding> oldest() {
    long until = System.nanoTime() + LONGEST_WAIT.toNanos();
    Duration longest = Duration.ZERO;
    Set<String> present = present();
    List<Finding> findings = new ArrayList<>(cut("oldest", present));
    List<String> names = List.copyOf(present);
    for (int i = 0; i < names.size(); i++) {
      if (System.nanoTime() - until > 0) {
        findings.add(
            Finding.unknown("oldest", "only %d topics were checked in time".formatted(i), ""));
        break;
      }
      String name = names.get(i);
      Duration waited = waited(name);
      longest = waited.compareTo(longest) > 0 ? waited : longest;
      if (waited.compareTo(settings.oldMessage()) > 0 && findings.size() < MOST_NAMED) {
        findings.add(
            Finding.warning(
                "oldest",
                "an available message of topic '%s' has waited for %s"
                    .formatted(name, Finding.duration(waited)),
                "check with `queue-worker topics list` whether the topic is paused or limited; if"
                    + " not, add workers or make its handler faster"));
      }
    }
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                "oldest",
                "the first available messages have waited up to %s"
                    .formatted(Finding.duration(longest))))
        : findings;
  }

  /** A batch completes only after it is closed. */
  List<Finding> batches() {
    List<Finding> findings =
        JooqOpenBatches.olderThan(LONGEST_UNCLOSED, MOST_NAMED, transactions).stream()
            .map(
                batch ->
                    Finding.warning(
                        "batches",
                        "batch %d was opened %d h ago and is not closed, so it cannot complete"
                            .formatted(batch.id(), batch.age().toHours()),
                        "if its producer has died, `queue-worker batches close %1$d`, or"
                                .formatted(batch.id())
                            + " `queue-worker batches cancel %d`".formatted(batch.id())))
            .toList();
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                "batches",
                "none of the first %,d incomplete batches has been open for more than a day"
                    .formatted(JooqOpenBatches.MOST_EXAMINED)))
        : findings;
  }

  private Duration waited(String name) {
    Duration oldest =
        transactions
            .read(dsl -> QueueCounts.read(dsl, List.of(name), OLDEST))
            .getOrDefault(name, TopicCounts.NONE)
            .oldest();
    return oldest == null ? Duration.ZERO : oldest;
  }

  /** Batches that somebody opened and never sealed. */
  private static final class JooqOpenBatches {

    /** Of those that are not complete, the first by their ids, so that the look stays short. */
    private static final int MOST_EXAMINED = 10_000;

    private static final Field<Long> AGE_SECONDS =
        DSL.field(
                "TIMESTAMPDIFF(SECOND, {0}, UTC_TIMESTAMP(6))", Long.class, QUEUE_BATCH.CREATED_AT)
            .as("age");

    /** One of them. */
    record Unclosed(long id, Duration age) {}

    private JooqOpenBatches() {}

    /** Those that are older than {@code age}, the oldest first, {@code most} at most. */
    static List<Unclosed> olderThan(Duration age, int most, Transactions transactions) {
      return transactions
          .read(
              dsl ->
                  dsl.select(QUEUE_BATCH.ID, QUEUE_BATCH.CLOSED, AGE_SECONDS)
                      .from(QUEUE_BATCH.forceIndex("queue_batch_by_completion"))
                      .where(QUEUE_BATCH.COMPLETED_AT.isNull())
                      .orderBy(QUEUE_BATCH.ID)
                      .limit(MOST_EXAMINED)
                      .fetch())
          .stream()
          .filter(row -> row.value2() == 0)
          .map(row -> new Unclosed(row.value1(), Duration.ofSeconds(row.value3())))
          .filter(batch -> batch.age().compareTo(age) > 0)
          .limit(most)
          .toList();
    }
  }
}
