package io.rowqueue.proof.security;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.BackPressure;
import io.rowqueue.Jooq;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.internal.schema.MessageIds;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.seal.JooqKeysInUse;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.operation.Fixture;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.spi.UnreadableException;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.dashboard.JooqMessageIds;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch;
import io.rowqueue.worker.internal.dashboard.JooqPermits;
import io.rowqueue.worker.internal.observe.StatusReader;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** What accounts do beside the operations of the protocol, most of which is to read. */
final class Queries {

  private static final MessageId ID = new MessageId(1);

  private Queries() {}

  /** One of them. */
  record Query(String name, Set<Role> roles, Setup setup) {}

  static List<Query> all() {
    List<Query> all = new ArrayList<>();
    all.add(
        reads(
            "find ids that have started again",
            core -> {
              var unused = MessageIds.find(core.get(Transactions.class));
              return true;
            },
            Role.WORKER,
            Role.OPERATOR));
    all.add(
        reads(
            "check the schema",
            core -> {
              QueueSchema.of(core.get(Transactions.class)).check();
              return true;
            },
            Role.WORKER,
            Role.OPERATOR,
            Role.PRODUCER));
    addWorkers(all);
    addOperators(all);
    addProducers(all);
    all.add(query("await", Queries::await, Role.RESULT_READER));
    all.add(query("judged overfull", full(1, 0), Role.PRODUCER));
    all.add(query("judge where nobody does", full(0, 3_600), Role.PRODUCER));
    all.add(query("keys in use", Queries::keys, Role.OPERATOR));
    return all;
  }

  private static Query query(String name, Setup setup, Role... roles) {
    return new Query(name, Set.of(roles), setup);
  }

  private static Query reads(String name, Function<Core, Object> query, Role... roles) {
    return query(name, (fixture, core) -> () -> query.apply(core), roles);
  }

  private static void addWorkers(List<Query> all) {
    all.add(
        reads(
            "read the queue's name",
            core -> QueueSchema.of(core.get(Transactions.class)).queueName(),
            Role.WORKER));
    all.add(
        query(
            "read what topics and this worker are asked to do",
            (fixture, core) -> Act.done(() -> core.get(TopicSettingsCache.class).refresh(WORKER)),
            Role.WORKER));
    all.add(query("load a long payload", Queries::load, Role.WORKER));
    all.add(
        reads(
            "look for who is gone",
            core -> core.get(Reaper.class).hasSomeoneGone(Duration.ZERO),
            Role.WORKER));
    all.add(reads("look for orphans", core -> core.get(Reaper.class).hasOrphans(), Role.WORKER));
    all.add(
        reads(
            "look for the next firing",
            core -> core.get(ScheduleTrigger.class).untilNext(),
            Role.WORKER));
    // As the metrics do; AccountsIT runs their own statement with this account.
    all.add(
        reads(
            "count a topic's dead letters",
            core ->
                core.get(Transactions.class)
                    .read(
                        dsl ->
                            dsl.fetchCount(QUEUE_DEAD_LETTER, QUEUE_DEAD_LETTER.TOPIC.eq("play"))),
            Role.WORKER));
    all.add(query("read a payload stored separately", Queries::body, Role.WORKER));
    all.add(query("find a payload in a store", Queries::stored, Role.WORKER));
    all.add(query("go on with a cancelled batch", Queries::sweepBatches, Role.WORKER));
  }

  private static Act load(Fixture fixture, Core core) {
    fixture.messages(1, "payload = CAST(REPEAT('a', 40000) AS BINARY)");
    Claim claim = fixture.claims().get(0);
    return Act.done(() -> core.get(ClaimStore.class).load(claim));
  }

  private static Act body(Fixture fixture, Core core) {
    fixture.sql(
        "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (1, 0, 1,"
            + " 'xyz')");
    return () -> core.get(Bodies.class).find(ID, BodyLocations.ROWS).read(3).length;
  }

  private static Act stored(Fixture fixture, Core core) {
    fixture.sql(STORED);
    return () -> {
      try {
        return core.get(Bodies.class).find(ID, BodyLocations.STORED);
      } catch (UnreadableException e) {
        assertThat(e).hasMessageContaining("'memory'");
        return "this process does not have its store";
      }
    };
  }

  private static final String STORED =
      "INSERT INTO queue_payload_ref (message_id, store, reference, bytes, sha256) VALUES (1,"
          + " 'memory', 'r', 8, REPEAT('x', 32))";

  /** A batch of a message and a chain, with another batch in it. */
  private static Act sweepBatches(Fixture fixture, Core core) {
    fixture.messages(2, "batch_id = IF(id = 1, 64, -1)");
    fixture.sql(
        "INSERT INTO queue_batch (id, closed, cancelled, shards, open_shards, created_at) VALUES"
            + " (1, 0, 1, 1, 1, UTC_TIMESTAMP(6))",
        "INSERT INTO queue_batch (id, parent_shard, shards, open_shards, created_at) VALUES (2, 64,"
            + " 1, 1, UTC_TIMESTAMP(6))",
        "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members, total, first_message)"
            + " VALUES (64, 0, 4, 3, 1), (128, 0, 1, 0, NULL)",
        "INSERT INTO queue_chain (id, batch_id, created_at, message_id) VALUES (1, 64,"
            + " UTC_TIMESTAMP(6), 2)",
        "INSERT INTO queue_chain_step VALUES (1, 1, 'play', 0, 0, NULL, '\"next\"')");
    return () -> core.get(Batches.class).sweep();
  }

  private static void addOperators(List<Query> all) {
    all.add(
        reads(
            "status",
            core -> new StatusReader(core.get(Transactions.class)).read().toString().isEmpty(),
            Role.OPERATOR));
    all.add(
        reads(
            "top",
            core -> core.get(Statistics.class).read(Statistics.Period.MINUTE, Instant.EPOCH).size(),
            Role.OPERATOR));
    all.add(
        reads(
            "workers list",
            core -> new WorkerReader(core.get(Transactions.class)).read().size(),
            Role.OPERATOR));
    JooqAudit.Filter filter =
        new JooqAudit.Filter("t", "ada", "topic.purge", Instant.EPOCH, Instant.EPOCH);
    all.add(
        reads(
            "audit list",
            core -> core.get(JooqAudit.class).find(filter, null, 10, Duration.ofSeconds(10)),
            Role.OPERATOR));
    all.add(
        reads(
            "messages list",
            core ->
                new JooqMessageSearch(
                        core.get(Transactions.class),
                        new JooqMessageSearch.Scope("play", MessageState.AVAILABLE),
                        new JooqMessageSearch.Filter(
                            "k", Map.of("a", "b"), Instant.EPOCH, null, "c"),
                        null)
                    .find(10, Duration.ofSeconds(10)),
            Role.OPERATOR));
    all.add(
        reads(
            "the dashboard's limits",
            core -> JooqPermits.read(core.get(Transactions.class)),
            Role.OPERATOR));
    all.add(
        reads(
            "the dashboard's search by deduplication key",
            core ->
                new JooqMessageIds(core.get(Transactions.class))
                    .ofDeduplicationKey(List.of("play"), "k"),
            Role.OPERATOR));
    all.add(reads("dead-letters list", core -> dead(core).list(TOPIC, 10), Role.OPERATOR));
    all.add(reads("dead-letters show", core -> dead(core).attempts(ID), Role.OPERATOR));
    all.add(reads("topics list", core -> core.get(Topics.class).list(), Role.OPERATOR));
    all.add(reads("topics known", core -> core.get(Topics.class).known(), Role.OPERATOR));
    all.add(
        reads(
            "topics ordering",
            core -> core.get(Topics.class).orderingKeys(TOPIC, true, 10),
            Role.OPERATOR));
    all.add(
        reads(
            "batches list",
            core -> core.get(Batches.class).list(false, Long.MAX_VALUE, 10),
            Role.OPERATOR));
    all.add(reads("batches show", core -> core.get(Batches.class).find(1), Role.OPERATOR));
    all.add(reads("chains show", core -> core.get(Chains.class).find(1), Role.OPERATOR));
    all.add(
        reads(
            "schedules list",
            core -> core.get(Schedules.class).list(3),
            Role.OPERATOR,
            Role.CONFIGURATOR));
    all.add(
        reads(
            "schedules show",
            core -> core.get(Schedules.class).find("play", 3),
            Role.OPERATOR,
            Role.CONFIGURATOR));
    all.add(
        reads(
            "subscriptions list",
            core -> core.get(Subscriptions.class).list(),
            Role.OPERATOR,
            Role.CONFIGURATOR));
    for (MessageLocation place :
        List.of(
            MessageLocation.AVAILABLE,
            MessageLocation.IN_FLIGHT,
            MessageLocation.DEAD_LETTER,
            MessageLocation.ARCHIVED)) {
      all.add(query("messages show, " + place, show(place), Role.OPERATOR));
    }
    all.add(
        bytes(
            "in rows",
            "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (1, 0, 1,"
                + " 'xyz')"));
    all.add(bytes("in a store", STORED));
  }

  private static DeadLetters dead(Core core) {
    return core.get(DeadLetters.class);
  }

  private static Setup show(MessageLocation place) {
    return (fixture, core) -> {
      switch (place) {
        case AVAILABLE -> fixture.messages(1);
        case IN_FLIGHT -> fixture.claimed(1);
        case DEAD_LETTER -> fixture.deadLetters(1);
        default -> fixture.copy(1, "play");
      }
      return () -> {
        assertThat(core.get(Messages.class).find(ID).place()).isEqualTo(place);
        return place;
      };
    };
  }

  private static Query bytes(String where, String row) {
    return query(
        "messages show, " + where,
        (fixture, core) -> {
          fixture.sql(row);
          return () -> core.get(Messages.class).externalBodyBytes(ID).orElseThrow();
        },
        Role.OPERATOR);
  }

  private static void addProducers(List<Query> all) {
    NewMessage message =
        NewMessage.of(TOPIC, "p")
            .withHeader("a", "b")
            .withPriority(1)
            .withDelay(Duration.ofHours(1));
    all.add(
        query(
            "enqueue by jOOQ, with everything",
            (fixture, core) ->
                Act.done(
                    () ->
                        DSL.using(core.connections(), SQLDialect.MYSQL)
                            .transaction(
                                tx ->
                                    Jooq.inTransaction(
                                        tx.dsl(),
                                        own -> MessageProducer.create().enqueue(own, message)))),
            Role.PRODUCER,
            Role.WORKER));
    all.add(
        query(
            "enqueue by SQL",
            (fixture, core) ->
                () -> {
                  try (Connection connection = core.connections().getConnection();
                      Statement statement = connection.createStatement()) {
                    statement.execute(
                        "INSERT INTO queue_message (topic, payload) VALUES ('play', '{}')");
                    connection.commit();
                    return "done";
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                },
            Role.PRODUCER));
  }

  private static Act await(Fixture fixture, Core core) {
    fixture.sql(
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content) VALUES (1,"
            + " 'play', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')");
    return () -> {
      CompletableFuture<Integer> answer = new CompletableFuture<>();
      CompletableFuture<Boolean> listening = new CompletableFuture<>();
      Tap tap =
          new Tap() {
            @Override
            public void before(Sent sent, Connection real) {
              if (sent.sql().contains("SLEEP(")) {
                listening.complete(true);
              }
            }

            @Override
            public void failed(SQLException failure) {
              answer.completeExceptionally(failure);
              listening.completeExceptionally(failure);
            }
          };
      try (Results results = Results.over(TappedConnections.over(core.connections(), tap))) {
        var unused = results.awaiting(ID, Integer.class).thenAccept(answer::complete);
        // The result may be found before its listener is registered, on another thread.
        listening.orTimeout(20, TimeUnit.SECONDS).join();
        return answer.orTimeout(20, TimeUnit.SECONDS).join();
      }
    };
  }

  /** Of a topic that is overfull with two messages, and when it was judged last. */
  private static Setup full(int judged, int secondsAgo) {
    return (fixture, core) -> {
      fixture.messages(2);
      fixture.sql(
          "INSERT INTO queue_topic (topic, max_depth) VALUES ('play', 1)",
          "INSERT INTO queue_depth VALUES ('play', %d, 0, 0, 1, UTC_TIMESTAMP(6) - INTERVAL %d SECOND)"
              .formatted(judged, secondsAgo));
      return () -> {
        assertThat(BackPressure.over(core.connections()).isFull(TOPIC)).isTrue();
        return true;
      };
    };
  }

  private static Act keys(Fixture fixture, Core core) {
    fixture.messages(
        1, "headers = '{\"rowqueue-wrapped\": \"sealed\", \"rowqueue-body\": \"rows\"}'");
    return () -> new JooqKeysInUse(core.get(Transactions.class)).find().toString();
  }
}
