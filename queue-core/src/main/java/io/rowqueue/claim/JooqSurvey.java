package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.database.RenderedStatement;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jooq.Condition;
import org.jooq.Query;
import org.jooq.Record;
import org.jooq.Record5;
import org.jooq.SQLDialect;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** A close look at several topics in one statement: what could be claimed of each. */
final class JooqSurvey {

  /** Of more, the text (300 characters each) would be more than a driver keeps prepared. */
  static final int MOST_TOPICS = 64;

  /** Stands where a topic is bound. */
  private static final Topic ANY = new Topic("any");

  private static final int BITS_OF_MARKS = 4;

  /** Of a topic with more known priorities, the others are looked at from their beginnings. */
  private static final int MOST_MARKS = (1 << BITS_OF_MARKS) - 1;

  /** Where nothing is known of a topic: everything is above. */
  private static final Map.Entry<Byte, Long> BELOW_ALL = Map.entry(Byte.MIN_VALUE, Long.MIN_VALUE);

  private final RenderedStatement text;
  private final RenderedStatement textAbove;

  JooqSurvey(SQLDialect dialect) {
    this.text = new RenderedStatement(dialect, topics -> query(topics, DSL.noCondition()));
    this.textAbove =
        new RenderedStatement(
            dialect, form -> query(form >> BITS_OF_MARKS, above(form & MOST_MARKS)));
  }

  /** Which of the texts it is that looks at so many topics above so many marks each. */
  private static int form(int topics, int marks) {
    return topics << BITS_OF_MARKS | marks;
  }

  private static Condition above(int marks) {
    NavigableMap<Byte, Long> any = new TreeMap<>();
    for (byte priority = 0; priority < marks; priority++) {
      any.put(priority, 0L);
    }
    return JooqCursor.above(any);
  }

  private static Query query(int topics, Condition within) {
    Select<Record5<Integer, Long, Byte, Integer, Integer>> all = first(0, within);
    for (int i = 1; i < topics; i++) {
      all = all.unionAll(first(i, within));
    }
    return all;
  }

  private static Select<Record5<Integer, Long, Byte, Integer, Integer>> first(
      int number, Condition within) {
    return DSL.select(
            DSL.inline(number),
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIMS,
            QUEUE_MESSAGE.LOST)
        .from(JooqMessages.BY_CLAIM_KEY)
        .where(JooqMessages.available(ANY))
        .and(within)
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .limit(DSL.inline(Survey.MOST_CANDIDATES));
  }

  /** How the server would look at one topic. */
  static ClaimPlan plan(Transactions transactions) {
    return transactions.read(
        dsl -> {
          String text = dsl.renderInlined(query(1, DSL.noCondition()));
          Record plan = dsl.fetch("EXPLAIN FORMAT=TRADITIONAL " + text).get(0);
          return new ClaimPlan(text(plan, "key"), text(plan, "Extra"));
        });
  }

  private static String text(Record plan, String column) {
    return Objects.requireNonNullElse(plan.get(column, String.class), "");
  }

  /** The first candidates of those topics that have any. */
  Map<Topic, List<Candidate>> look(Connection connection, List<Topic> topics) throws SQLException {
    try (PreparedStatement statement = text.prepare(connection, topics.size())) {
      for (int i = 0; i < topics.size(); i++) {
        statement.setString(1 + i, topics.get(i).name());
      }
      return candidates(statement, topics);
    }
  }

  /**
   * The same above marks, where claims begin.
   *
   * @param marks of each of {@code topics}; may be empty
   */
  Map<Topic, List<Candidate>> lookAbove(
      Connection connection, List<Topic> topics, List<NavigableMap<Byte, Long>> marks)
      throws SQLException {
    int most = marks.stream().mapToInt(Map::size).max().orElse(1);
    int each = Math.max(1, Math.min(most, MOST_MARKS));
    try (PreparedStatement statement = textAbove.prepare(connection, form(topics.size(), each))) {
      int parameter = 1;
      for (int i = 0; i < topics.size(); i++) {
        statement.setString(parameter++, topics.get(i).name());
        parameter = bind(statement, parameter, marks.get(i), each);
      }
      return candidates(statement, topics);
    }
  }

  /** The last one again, where there is room for more. */
  private static int bind(
      PreparedStatement statement, int first, NavigableMap<Byte, Long> marks, int count)
      throws SQLException {
    Iterator<Map.Entry<Byte, Long>> next = marks.entrySet().iterator();
    Map.Entry<Byte, Long> mark = BELOW_ALL;
    int parameter = first;
    for (int i = 0; i < count; i++) {
      mark = next.hasNext() ? next.next() : mark;
      statement.setByte(parameter++, mark.getKey());
      statement.setLong(parameter++, mark.getValue());
    }
    statement.setByte(parameter, mark.getKey());
    return parameter + 1;
  }

  private static Map<Topic, List<Candidate>> candidates(
      PreparedStatement statement, List<Topic> topics) throws SQLException {
    Map<Topic, List<Candidate>> found = new HashMap<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        found
            .computeIfAbsent(topics.get(rows.getInt(1)), topic -> new ArrayList<>())
            .add(new Candidate(rows.getLong(2), rows.getByte(3), rows.getInt(4), rows.getInt(5)));
      }
    }
    return found;
  }
}
