package io.rowqueue.proof.fault;

import io.rowqueue.body.FileBodyStore;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.Scenario.Trait;
import io.rowqueue.proof.fault.WorkerProcess.Stopped;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everybody who takes part in a run: the server, the queue, the workers and the producer. */
final class Rig implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Duration LONGEST_IDLE = Duration.ofSeconds(20);
  private static final long BETWEEN_LOOKS_MILLIS = 15;
  private static final long BETWEEN_COUNTS_MILLIS = 200;

  /** So many fewer messages are progress; the last ones have the whole time for themselves. */
  private static final long ENOUGH = 100;

  private static final String PASSWORD = "only-for-tests";
  private static final Logger LOG = LoggerFactory.getLogger(Rig.class);

  private static final String LEFT =
      "SELECT CONCAT('message ', id, ' of ', topic, ' stays in state ', state, ', claimed ',"
          + " claims, ' times') FROM queue_message WHERE topic <> '"
          + Deed.UNKNOWN
          + "' LIMIT 20";

  /** One statement, so that what goes from one table to the other is never in neither. */
  private static final String DEPTH =
      "SELECT (SELECT COUNT(*) FROM queue_message WHERE topic <> '%s')".formatted(Deed.UNKNOWN)
          + " + (SELECT COUNT(*) FROM (%s) held)".formatted(LineLedger.HELD);

  private final Server server;
  private final QueueDatabase database;
  private final String account;
  private final Fleet fleet;
  private final Producer producer;
  private final HastyProducer hasty;
  private final @Nullable Operator operator;
  private final Person mender;
  private final List<Person> others;
  private final Asker asker;
  private final Repeater lastRepeater;
  private final Ledger ledger;
  private final FeatureLedger features;
  private final Deadlocks deadlocks;
  private final Inspector inspector;
  private final List<Stopped> stops = new ArrayList<>();
  private final List<String> reports = new ArrayList<>();

  /**
   * A queue of its own on {@code server}, with an account that may do no more than workers must: to
   * others the server would never be read-only.
   */
  Rig(Server server, Scenario scenario, Path home, int perSecond, RandomGenerator random)
      throws IOException {
    this.server = server;
    this.database = QueueDatabase.create(server.address());
    this.account = database.name() + "_w";
    database.execute(
        "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(account, PASSWORD),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO '%s'@'%%'"
            .formatted(database.name(), account));
    this.inspector = new Inspector(database);
    this.ledger = new Ledger(database);
    this.features = new FeatureLedger(database);
    this.deadlocks = new Deadlocks(database);
    String url = database.url().replaceFirst("\\?.*", "?user=" + account + "&password=" + PASSWORD);
    this.fleet = new Fleet(database, url, home, scenario);
    String plainUrl = url + "&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    this.producer = new Producer(plainUrl, fleet, scenario.mix(), perSecond, random);
    this.hasty =
        new HastyProducer(
            plainUrl, Topics.of(Transactions.on(database.dataSource())), seeded(random));
    this.operator =
        scenario.has(Trait.HAS_OPERATORS) ? new Operator(database, seeded(random)) : null;
    this.asker = new Asker(plainUrl, features.awaited(), seeded(random));
    this.lastRepeater = new Repeater(plainUrl, OptionalLong::empty, false, seeded(random));
    this.others = others(plainUrl, scenario.mix(), random);
    this.mender = new Person("mender", seeded(random), features.lines()::mend);
  }

  /** Who takes part beside the producers: each with choices of his own. */
  private List<Person> others(String plainUrl, Mix mix, RandomGenerator random) {
    RandomGenerator publishing = seeded(random);
    RandomGenerator revoking = seeded(random);
    RandomGenerator pausing = seeded(random);
    MessageProducer queue = Producer.queueOf(fleet);
    Meeting meeting = new Meeting();
    return List.of(
        new Person("subscriber", seeded(random), features.subscriptions()::change),
        new Person(
            "publisher",
            publishing,
            () -> features.subscriptions().publish(plainUrl, publishing),
            20,
            100),
        new Person(
            "revoker",
            seeded(random),
            () -> features.batchCancels().revoke(plainUrl, queue, mix, revoking),
            100,
            400),
        new Person(
            "timekeeper",
            seeded(random),
            () -> features.schedules().pauseForAWhile(pausing),
            500,
            2_000),
        new Person("regulator", seeded(random), features.limits()::change),
        new Person("asker", seeded(random), asker::ask),
        new Person("canceller", seeded(random), features.cancels()::ask),
        repeater("repeater", new Repeater(plainUrl, meeting::await, true, seeded(random)), random),
        repeater(
            "other repeater",
            new Repeater(plainUrl, meeting::await, false, seeded(random)),
            random),
        streamer(plainUrl, random.nextLong()));
  }

  private static Person repeater(String name, Repeater repeater, RandomGenerator random) {
    return new Person(name, seeded(random), repeater::offer, 40, 160);
  }

  private static RandomGenerator seeded(RandomGenerator random) {
    return Plan.seeded(random.nextLong());
  }

  private Person streamer(String url, long seed) {
    return new Person(
        "streamer",
        Plan.seeded(seed),
        new Streamer(url, FileBodyStore.in(fleet.bodies()), features.streams(), Plan.seeded(~seed))
            ::stream);
  }

  /** Everybody but the workers begins. */
  void startPeople() {
    producer.start();
    hasty.start();
    others.forEach(Person::start);
    mender.start();
    if (operator != null) {
      operator.start();
    }
  }

  /** Nothing new from anybody, once it returns; what is there goes on, and is mended. */
  void stopPeople() {
    if (operator != null) {
      // First: the hasty producer pauses a topic to its end, and an operator would resume it.
      operator.close();
    }
    // Some take seconds to come to an end, and need not wait for each other.
    others.forEach(Person::end);
    hasty.end();
    others.forEach(Person::close);
    features.limits().raise();
    producer.close();
    hasty.close();
    features.stopTicks();
  }

  /** Nobody redrives dead letters any more, once it returns. */
  void stopMending() {
    mender.close();
  }

  Server server() {
    return server;
  }

  QueueDatabase database() {
    return database;
  }

  /** The account that workers and producer connect with. */
  String account() {
    return account;
  }

  Fleet fleet() {
    return fleet;
  }

  Producer producer() {
    return producer;
  }

  /** The one that heeds back-pressure. */
  HastyProducer hasty() {
    return hasty;
  }

  /** The one that awaits results. */
  Asker asker() {
    return asker;
  }

  /** The one that offers under each key when nothing is left. */
  Repeater lastRepeater() {
    return lastRepeater;
  }

  Ledger ledger() {
    return ledger;
  }

  FeatureLedger features() {
    return features;
  }

  Deadlocks deadlocks() {
    return deadlocks;
  }

  /** Waits until workers are at work, or a fault would hit nobody; gives up after a while. */
  void awaitTraffic() {
    try {
      Await.until("somebody works", LONGEST_IDLE, this::inFlight, claims -> claims.size() > 1);
    } catch (AssertionError e) {
      LOG.info("nothing is in flight, and the fault strikes all the same");
    }
  }

  /** The claims that are in flight, each as id and claim number. */
  Set<String> inFlight() throws SQLException {
    return new HashSet<>(look(Recovery.IN_FLIGHT));
  }

  /**
   * Waits until the queue holds nothing that a handler is bound for, or a worker has ended. Gives
   * up when nothing leaves it any more: how long a backlog takes is the machine's business.
   *
   * @return what it holds all the same; empty if it is empty
   */
  List<String> awaitEmptyOrDeath() {
    long least = Long.MAX_VALUE;
    while (true) {
      long before = least;
      try {
        least =
            Await.until(
                "messages leave the queue",
                LONGEST,
                this::depth,
                depth -> depth == 0 || depth <= before - ENOUGH || !fleet.allAreAlive());
      } catch (AssertionError e) {
        LOG.info("messages stay in the queue", e);
        return left();
      }
      if (least == 0 || !fleet.allAreAlive()) {
        return left();
      }
    }
  }

  /** Counting walks over all of them, and is done rarely. */
  private long depth() throws SQLException {
    Pauses.millis(BETWEEN_COUNTS_MILLIS);
    return Long.parseLong(look(DEPTH).get(0));
  }

  /** What has not happened yet; one look at all the books. */
  List<String> unused() {
    Pauses.millis(BETWEEN_COUNTS_MILLIS);
    return features.unused();
  }

  private List<String> left() {
    try {
      return look(LEFT);
    } catch (SQLException e) {
      return List.of("what is left in the queue cannot be read: " + e.getMessage());
    }
  }

  /** The first column of {@code query}; not more often than the server can bear beside its work. */
  List<String> look(String query) throws SQLException {
    Pauses.millis(BETWEEN_LOOKS_MILLIS);
    return inspector.strings(query);
  }

  /** Notes a broken promise. */
  void report(String finding) {
    reports.add(finding);
  }

  /** What was noted. */
  List<String> reports() {
    return List.copyOf(reports);
  }

  /** How workers ended that were told to; may be added to. */
  List<Stopped> stops() {
    return stops;
  }

  /** What the server says of the last deadlock. */
  String lastDeadlock() {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet status = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
      status.next();
      String text = status.getString("Status");
      int begin = text.indexOf("LATEST DETECTED DEADLOCK");
      return begin < 0
          ? "(not told)"
          : text.substring(begin, Math.min(text.length(), begin + 5_000));
    } catch (SQLException e) {
      return "(not told: " + e.getMessage() + ")";
    }
  }

  @Override
  public void close() throws IOException {
    stopPeople();
    stopMending();
    asker.close();
    fleet.close();
    inspector.close();
    database.execute("DROP USER '%s'@'%%'".formatted(account));
    database.close();
  }
}
