package io.rowqueue.proof.fault;

import io.rowqueue.body.BodyStore;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.enqueue.Publications;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.wrap.Wrapping;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Books what it enqueues in transactions of its own in those transactions, and remembers the last
 * of it: for somebody who enqueues by another's hand. Confined to one thread at a time.
 */
final class BookingProducer implements MessageProducer {

  private final MessageProducer producer;
  private @Nullable MessageId last;
  private long lastNanos;

  BookingProducer(MessageProducer producer) {
    this.producer = producer;
  }

  /** The last that was committed. */
  MessageId last() {
    return Objects.requireNonNull(last, "one that was enqueued");
  }

  /** {@link System#nanoTime} when that was. */
  long lastNanos() {
    return lastNanos;
  }

  @Override
  public List<Offer> offerAll(DataSource dataSource, Collection<NewMessage> messages) {
    List<NewMessage> all = List.copyOf(messages);
    List<Offer> offers =
        Transactions.on(dataSource)
            .ringing(Rings.over(dataSource))
            .run(
                Transition.ENQUEUE,
                tx -> {
                  List<Offer> made = producer.offerAll(tx.dsl(), all);
                  Ledger.book(tx.connection(), FeatureLedger.entries(all, made));
                  return made;
                });
    last = offers.get(offers.size() - 1).id();
    lastNanos = System.nanoTime();
    return offers;
  }

  @Override
  public List<Offer> offerAll(DSLContext transaction, Collection<NewMessage> messages) {
    return producer.offerAll(transaction, messages);
  }

  @Override
  public List<Offer> offerAll(Connection connection, Collection<NewMessage> messages) {
    return producer.offerAll(connection, messages);
  }

  @Override
  public Publications publishAll(DSLContext transaction, Collection<NewMessage> messages) {
    return producer.publishAll(transaction, messages);
  }

  @Override
  public Publications publishAll(Connection connection, Collection<NewMessage> messages) {
    return producer.publishAll(connection, messages);
  }

  @Override
  public Publications publishAll(DataSource dataSource, Collection<NewMessage> messages) {
    return producer.publishAll(dataSource, messages);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(message);
  }

  @Override
  public MessageProducer ringing(Ring ring) {
    return new BookingProducer(producer.ringing(ring));
  }

  @Override
  public MessageProducer wrapping(Wrapping wrapping) {
    return new BookingProducer(producer.wrapping(wrapping));
  }

  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return new BookingProducer(producer.storing(store, from));
  }
}
