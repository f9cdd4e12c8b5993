package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/**
 * Finds the topics in use, with one index lookup per topic: a loose index scan, which neither
 * server reliably uses for DISTINCT. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails.
 */
public final class JooqTopicNames {

  /** The number of lookups in one statement. */
  private static final int AT_ONCE = 100;

  private static final JooqTopicNames MESSAGES =
      new JooqTopicNames(QUEUE_MESSAGE.forceIndex("queue_message_claim"), QUEUE_MESSAGE.TOPIC);

  private static final JooqTopicNames DEAD_LETTERS =
      new JooqTopicNames(
          QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"), QUEUE_DEAD_LETTER.TOPIC);

  private final Table<?> table;
  private final TableField<?, String> topic;

  private JooqTopicNames(Table<?> table, TableField<?, String> topic) {
    this.table = table;
    this.topic = topic;
  }

  /** Returns the topics of messages: the first {@code most} by name, in order. */
  public static Set<String> ofMessages(DSLContext dsl, int most) {
    return MESSAGES.read(dsl, most, Set.of());
  }

  /**
   * Returns up to {@code most} topics of messages, in order of their names.
   *
   * @param likely names that are looked up in few statements; any others take one statement each
   */
  public static Set<String> ofMessages(DSLContext dsl, int most, Set<String> likely) {
    return MESSAGES.read(dsl, most, likely);
  }

  /** Returns the topics of dead letters: the first {@code most} by name, in order. */
  public static Set<String> ofDeadLetters(DSLContext dsl, int most) {
    return DEAD_LETTERS.read(dsl, most, Set.of());
  }

  /** As {@link #ofMessages(DSLContext, int, Set)}. */
  public static Set<String> ofDeadLetters(DSLContext dsl, int most, Set<String> likely) {
    return DEAD_LETTERS.read(dsl, most, likely);
  }

  /** Looks up which name follows each known one, until no new one appears. */
  private Set<String> read(DSLContext dsl, int most, Set<String> likely) {
    Set<String> names = new TreeSet<>();
    Set<String> known = new HashSet<>(likely);
    known.add("");
    Deque<String> open = new ArrayDeque<>(known);
    while (!open.isEmpty() && names.size() < most) {
      List<Field<String>> next = new ArrayList<>();
      while (!open.isEmpty() && next.size() < AT_ONCE) {
        next.add(next(open.remove()));
      }
      for (Object name : Objects.requireNonNull(dsl.select(next).fetchOne()).intoList()) {
        if (name != null && names.add((String) name) && known.add((String) name)) {
          open.add((String) name);
        }
      }
    }
    return names.stream().limit(most).collect(Collectors.toCollection(TreeSet::new));
  }

  /** MIN, which both servers look up while they plan: 100 take 2 ms, with LIMIT 1 they took 15. */
  private Field<String> next(String after) {
    return DSL.field(DSL.select(DSL.min(topic)).from(table).where(topic.gt(after)));
  }
}
