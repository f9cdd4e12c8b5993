package io.rowqueue.internal.enqueue;

import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.batch.BatchCounters.NewStep;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.Headers;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Writes chains by JDBC, on the connection of the transaction. */
public final class JdbcChainProducer implements ChainProducer {

  private final MessageProducer producer;
  private final OwnTransactions own;

  public JdbcChainProducer(MessageProducer producer, OwnTransactions own) {
    this.producer = producer;
    this.own = own;
  }

  @Override
  public ChainProducer notifying(@Nullable WorkerNotifier notifier) {
    return new JdbcChainProducer(producer, new OwnTransactions(notifier));
  }

  @Override
  public long enqueue(Connection connection, Chain chain) {
    return begin(TxSource.of(connection), chain, null);
  }

  @Override
  public long enqueue(DataSource dataSource, Chain chain) {
    return begin(TxSource.of(dataSource), chain, null);
  }

  @Override
  public long add(Connection connection, MessageBatch batch, Chain chain) {
    return begin(TxSource.of(connection), chain, batch);
  }

  @Override
  public long add(DataSource dataSource, MessageBatch batch, Chain chain) {
    return begin(TxSource.of(dataSource), chain, batch);
  }

  /** Encodes and checks everything before anything is written. */
  private long begin(TxSource source, Chain chain, @Nullable MessageBatch batch) {
    List<NewMessage> messages = chain.messages();
    List<NewStep> steps =
        messages.subList(1, messages.size()).stream()
            .map(message -> step(producer.encoded(message)))
            .toList();
    MemberSession<Long> session =
        (within, members) -> {
          Long shard = batch == null ? null : shard(batch);
          long id = members.openChain(chain.name(), shard);
          for (int i = 0; i < steps.size(); i++) {
            members.addStep(id, i + 1, steps.get(i));
          }
          long first = first(within, messages.get(0).withStoredBatch(-id));
          members.begins(id, first);
          if (shard != null) {
            members.added(shard, 1, first);
          }
          members.write();
          return id;
        };
    return session.in(source, own, Transition.CHAIN_BEGIN, "a chain and its first message");
  }

  private static long shard(MessageBatch batch) {
    return CounterShard.of(batch.id(), ThreadLocalRandom.current().nextInt(batch.shards()));
  }

  /** Refuses a first message that is deduplicated: the chain would have no first message. */
  private long first(TxSource within, NewMessage message) {
    EnqueueResult offer = within.enqueueAllWithResults(producer, List.of(message)).get(0);
    if (offer.outcome() != EnqueueResult.Outcome.INSERTED) {
      String key = Objects.requireNonNull(message.deduplication()).key();
      throw new DuplicateMessageException(message.topic(), key, offer.id().value());
    }
    return offer.id().value();
  }

  private static NewStep step(NewMessage encoded) {
    return new NewStep(
        encoded.topic().name(),
        encoded.priority(),
        Jdbc.micros(encoded.delay()),
        Headers.toJson(encoded.headers()),
        (byte[]) encoded.payload());
  }
}
