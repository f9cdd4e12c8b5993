package io.rowqueue.internal.handle;

import io.rowqueue.BatchSettings;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MemberContext;
import io.rowqueue.internal.batch.CounterShard;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The batch of a message that is being handled; collects the members that the ack adds. */
final class AddedMembers implements MemberContext {

  private final long shard;
  private final MessageProducer producer;
  private final Supplier<HandlerOutput> wanted;

  /** Messages are encoded by {@code producer}. */
  AddedMembers(long shard, MessageProducer producer, Supplier<HandlerOutput> wanted) {
    this.shard = shard;
    this.producer = producer;
    this.wanted = wanted;
  }

  @Override
  public long id() {
    return CounterShard.batch(shard);
  }

  @Override
  public void add(Collection<NewMessage> messages) {
    if (!messages.isEmpty()) {
      wanted.get().add(null, encoded(messages));
    }
  }

  @Override
  public void addBatch(BatchSettings settings, Collection<NewMessage> messages) {
    NewMessage completion = settings.completion();
    BatchSettings stored =
        completion == null ? settings : settings.completingWith(producer.encoded(completion));
    wanted.get().add(stored, encoded(messages));
  }

  private List<NewMessage> encoded(Collection<NewMessage> messages) {
    return messages.stream().map(NewMessage::checkedToFollow).map(producer::encoded).toList();
  }
}
