package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.Query;
import org.jooq.Record;
import org.jooq.Record5;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads the claimable messages of several topics in one statement. */
final class JooqPoll {

  /** For more topics, the text (300 characters each) would exceed what a driver keeps prepared. */
  static final int MOST_TOPICS = 64;

  /** Placeholder for a bound topic. */
  private static final Topic ANY = new Topic("any");

  private final RenderedStatement text;

  JooqPoll(ServerDialect dialect) {
    this.text = new RenderedStatement(dialect, JooqPoll::query);
  }

  private static Query query(int topics) {
    Select<Record5<Integer, Long, Byte, Integer, Integer>> all = first(0);
    for (int i = 1; i < topics; i++) {
      all = all.unionAll(first(i));
    }
    return all;
  }

  private static Select<Record5<Integer, Long, Byte, Integer, Integer>> first(int number) {
    return DSL.select(
            DSL.inline(number),
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.LOST_CLAIMS)
        .from(JooqMessages.BY_CLAIM_KEY)
        .where(JooqMessages.available(ANY))
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .limit(DSL.inline(PollResult.MOST_CANDIDATES));
  }

  /** The server's plan for polling one topic. */
  static ClaimPlan plan(Transactions transactions) {
    return transactions.read(
        dsl -> {
          String text = dsl.renderInlined(query(1));
          Record plan = dsl.fetch("EXPLAIN FORMAT=TRADITIONAL " + text).get(0);
          return new ClaimPlan(text(plan, "key"), text(plan, "Extra"));
        });
  }

  private static String text(Record plan, String column) {
    return Objects.requireNonNullElse(plan.get(column, String.class), "");
  }

  /** The first candidates of those topics that have any. */
  Map<Topic, List<Candidate>> deepPoll(Connection connection, List<Topic> topics)
      throws SQLException {
    try (PreparedStatement statement = text.prepare(connection, topics.size())) {
      for (int i = 0; i < topics.size(); i++) {
        statement.setString(1 + i, topics.get(i).name());
      }
      return candidates(statement, topics);
    }
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
