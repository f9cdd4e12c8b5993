package io.rowqueue.internal.reap;

import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

public final class JooqWorkerRegistry implements WorkerRegistry {

  private final Transactions transactions;

  public JooqWorkerRegistry(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void register(WorkerRegistration life, Duration lease) {
    transactions.run(Transition.REGISTER, tx -> insert(tx.dsl(), life, lease));
  }

  private static int insert(DSLContext dsl, WorkerRegistration life, Duration lease) {
    return dsl.insertInto(QUEUE_WORKER)
        .set(QUEUE_WORKER.LOCK_ID, life.lockId().value())
        .set(QUEUE_WORKER.HOST, life.host())
        .set(QUEUE_WORKER.PID, life.pid())
        .set(QUEUE_WORKER.IS_ALIVE, (byte) 1)
        .set(QUEUE_WORKER.LEASE_UNTIL, DatabaseClock.after(lease))
        .set(QUEUE_WORKER.SERVER_IDENTITY, identity(life.address()))
        .set(QUEUE_WORKER.SERVER_STARTED_AT, startedAt(life.address()))
        .set(QUEUE_WORKER.LISTENER_CONNECTION, life.address().listener())
        .set(QUEUE_WORKER.VERSION, life.version())
        .set(
            QUEUE_WORKER.TOPICS,
            TopicNames.join(life.topics().stream().sorted().map(Topic::name).toList()))
        .set(QUEUE_WORKER.STARTED_AT, DatabaseClock.now())
        .set(QUEUE_WORKER.UPDATED_AT, DatabaseClock.now())
        // A retry after a lost COMMIT reply finds its own row.
        .onDuplicateKeyUpdate()
        .set(QUEUE_WORKER.UPDATED_AT, DatabaseClock.now())
        .execute();
  }

  @Override
  public boolean renew(
      LockId lockId, Duration lease, WorkerAddress address, @Nullable WorkerLoad load) {
    return transactions.run(
        Transition.RENEW,
        tx ->
            tx.dsl()
                    .update(QUEUE_WORKER)
                    .set(QUEUE_WORKER.LEASE_UNTIL, DatabaseClock.after(lease))
                    .set(QUEUE_WORKER.SERVER_IDENTITY, identity(address))
                    .set(QUEUE_WORKER.SERVER_STARTED_AT, startedAt(address))
                    .set(QUEUE_WORKER.LISTENER_CONNECTION, address.listener())
                    .set(load == null ? Map.of() : columns(load))
                    .set(QUEUE_WORKER.UPDATED_AT, DatabaseClock.now())
                    .where(QUEUE_WORKER.LOCK_ID.eq(lockId.value()))
                    .and(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
                    .execute()
                == 1);
  }

  @Override
  public void deregister(LockId lockId) {
    transactions.run(
        Transition.DEREGISTER,
        tx ->
            tx.dsl()
                .deleteFrom(QUEUE_WORKER)
                .where(QUEUE_WORKER.LOCK_ID.eq(lockId.value()))
                .execute());
  }

  private static Map<Field<?>, @Nullable Object> columns(WorkerLoad load) {
    Map<Field<?>, @Nullable Object> values = new LinkedHashMap<>();
    values.put(QUEUE_WORKER.THREADS, load.threads());
    values.put(QUEUE_WORKER.BUSY_THREADS, load.busyThreads());
    values.put(QUEUE_WORKER.HANDLED, load.handled());
    values.put(QUEUE_WORKER.HANDLED_PER_SECOND, load.handledPerSecond());
    values.put(QUEUE_WORKER.MEMORY_USED, load.memoryUsed());
    values.put(QUEUE_WORKER.MEMORY_MAX, load.memoryMax());
    return values;
  }

  private static @Nullable String identity(WorkerAddress address) {
    ServerIncarnation server = address.server();
    return server == null ? null : server.identity();
  }

  private static @Nullable Instant startedAt(WorkerAddress address) {
    ServerIncarnation server = address.server();
    return server == null ? null : server.startedAt();
  }
}
