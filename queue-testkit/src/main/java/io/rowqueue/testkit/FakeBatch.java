package io.rowqueue.testkit;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MemberContext;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A batch that no database has, for {@link FakeContext#withBatch}. It keeps what a handler adds,
 * and enqueues nothing. Thread-safe.
 */
public final class FakeBatch implements MemberContext {

  private final long id;
  private final List<NewMessage> added = new CopyOnWriteArrayList<>();
  private final List<BatchSettings> batches = new CopyOnWriteArrayList<>();

  /** The batch {@code id}, to which nothing was added. */
  public FakeBatch(long id) {
    this.id = id;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public void add(Collection<NewMessage> messages) {
    messages.forEach(NewMessage::checkedToFollow);
    added.addAll(messages);
  }

  @Override
  public void addBatch(BatchSettings settings, Collection<NewMessage> messages) {
    messages.forEach(NewMessage::checkedToFollow);
    batches.add(settings);
    added.addAll(messages);
  }

  /** All messages that were added, also within other batches. */
  public List<NewMessage> added() {
    return List.copyOf(added);
  }

  /** The batches that were added. */
  public List<BatchSettings> batches() {
    return List.copyOf(batches);
  }
}
