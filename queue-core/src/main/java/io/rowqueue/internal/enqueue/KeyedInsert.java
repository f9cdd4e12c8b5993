package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication.Scope;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Inserts messages of which some have deduplication keys. Locks the keys' rows first, in ascending
 * order. Reads without locks whether the named messages still wait, and confirms that by a write.
 * The reasons are in {@code docs/internals/decisions/deduplication-and-fan-out.md}.
 */
final class KeyedInsert {

  private final KeyRows rows;
  private final CheckedFunction<List<EncodedMessage>, List<Long>> inserting;
  private final List<EncodedMessage> messages;

  /** Sorted by id, so that each iteration is in the order of locks. */
  private final Map<TopicKeyId, KeyedMessage> keys = new TreeMap<>();

  /** The key of each message; null if it has none. */
  private final List<@Nullable KeyedMessage> keyOf;

  /** The ids of inserted messages by their positions in the call. */
  private final Map<Integer, Long> inserted = new HashMap<>();

  /**
   * Prepares an insert of {@code messages}.
   *
   * @param inserting inserts the messages that are not deduplicated, and returns ids in their order
   */
  KeyedInsert(
      Connection connection,
      List<EncodedMessage> messages,
      CheckedFunction<List<EncodedMessage>, List<Long>> inserting) {
    this.rows = new KeyRows(connection);
    this.inserting = inserting;
    this.messages = messages;
    this.keyOf = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      keyOf.add(key(messages.get(i), i));
    }
  }

  private @Nullable KeyedMessage key(EncodedMessage message, int position) {
    if (message.deduplication() == null) {
      return null;
    }
    TopicKeyId id = TopicKeyId.of(message.topic(), message.deduplication().key());
    KeyedMessage known = keys.get(id);
    if (known != null) {
      known.addDuplicate(message);
      return known;
    }
    KeyedMessage key = new KeyedMessage(id, message, position);
    keys.put(id, key);
    return key;
  }

  /**
   * Inserts the messages that are not deduplicated.
   *
   * @return the results in the messages' order
   * @throws DuplicateMessageException if a message is refused; the caller rolls back the rest
   */
  List<EnqueueResult> run() throws SQLException {
    take();
    settleHeld();
    insertOthers();
    rows.name(keys.values().stream().filter(KeyedMessage::isNew).toList());
    List<EnqueueResult> offers = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      offers.add(offer(i));
    }
    return offers;
  }

  /** Locks the keys' rows and reads their content. */
  private void take() throws SQLException {
    Collection<KeyedMessage> all = keys.values();
    Map<TopicKeyId, HeldKey> seen = rows.read(keys.keySet());
    all.forEach(key -> key.readBeforeLock(seen.getOrDefault(key.id(), HeldKey.NOTHING)));
    if (seen.size() == keys.size() && rows.touch(keys.keySet())) {
      pollAgain();
    } else if (rows.makeOrTouch(all) > keys.size()) {
      // Rows that were just inserted name no message. A row that existed counts as two.
      pollAgain();
    }
  }

  /** After the write, the latest version is visible in each isolation level. */
  private void pollAgain() throws SQLException {
    Map<TopicKeyId, HeldKey> held = rows.read(keys.keySet());
    keys.values().forEach(key -> key.readUnderLock(held.getOrDefault(key.id(), HeldKey.NOTHING)));
  }

  private void settleHeld() throws SQLException {
    Map<Long, KeyedMessage> waiting = new HashMap<>();
    for (KeyedMessage key : keys.values()) {
      Long candidate = key.candidate();
      if (candidate != null && key.rule().scope() == Scope.WAITING) {
        waiting.put(candidate, key);
      } else if (candidate != null) {
        key.isHeldBy(candidate);
      }
    }
    confirm(waiting);
  }

  /** Locks messages by ascending id, like all other writers of several messages. */
  private void confirm(Map<Long, KeyedMessage> waiting) throws SQLException {
    List<Long> ids = waiting.keySet().stream().sorted().toList();
    boolean none = waiting.values().stream().noneMatch(key -> key.rule().replaces());
    if (none && rows.confirmAll(ids)) {
      waiting.forEach((id, key) -> key.isHeldBy(id));
      return;
    }
    for (long id : ids) {
      KeyedMessage key = Objects.requireNonNull(waiting.get(id));
      if (key.rule().replaces() ? replace(id, key) : rows.confirm(id)) {
        key.isHeldBy(id);
      }
    }
  }

  /** A message that waits but cannot be replaced has another ordering key, batch or chain. */
  private boolean replace(long id, KeyedMessage key) throws SQLException {
    if (rows.replace(id, key)) {
      return true;
    }
    if (!rows.confirm(id)) {
      return false;
    }
    if (!rows.replace(id, key)) {
      throw key.ofAnotherGroup(id);
    }
    return true;
  }

  private void insertOthers() throws SQLException {
    List<EncodedMessage> others = new ArrayList<>();
    List<KeyedMessage> named = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      KeyedMessage key = keyOf.get(i);
      if (key == null) {
        others.add(messages.get(i));
        places.add(i);
      } else if (key.isNew() && key.position() == i) {
        others.add(key.content());
        places.add(i);
        named.add(key);
      }
    }
    List<Long> ids = inserting.apply(others);
    for (int i = 0; i < ids.size(); i++) {
      inserted.put(places.get(i), ids.get(i));
    }
    named.forEach(key -> key.isNamed(insertedAt(key.position())));
  }

  private EnqueueResult offer(int index) {
    KeyedMessage key = keyOf.get(index);
    return key == null
        ? new EnqueueResult(new MessageId(insertedAt(index)), EnqueueResult.Outcome.INSERTED)
        : new EnqueueResult(new MessageId(key.messageId()), key.outcome(index));
  }

  private long insertedAt(int index) {
    return Objects.requireNonNull(inserted.get(index));
  }
}
