package io.rowqueue.testkit;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MemberContext;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A batch without a database, for {@link FakeContext#withBatch}. Records what a handler adds, and
 * enqueues nothing. Thread-safe.
 */
public final class FakeBatch implements MemberContext {

  private final long id;
  private final List<NewMessage> added = new CopyOnWriteArrayList<>();
  private final List<BatchSettings> batches = new CopyOnWriteArrayList<>();

  /** Creates an empty batch with this id. */
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

  /** Returns all added messages, including those of nested batches. */
  public List<NewMessage> added() {
    return List.copyOf(added);
  }

  /** Returns the nested batches that were added. */
  public List<BatchSettings> batches() {
    return List.copyOf(batches);
  }
}
