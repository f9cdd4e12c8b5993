package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.message.TopicKeyId;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Lists in SQL text. */
final class Lists {

  private Lists() {}

  /** Joins {@code count} times {@code mark} with commas. */
  static String marks(String mark, int count) {
    return String.join(", ", Collections.nCopies(count, mark));
  }

  /** Splits {@code all} into lists of at most {@code size}, in their order. */
  static <T> List<List<T>> chunks(Collection<T> all, int size) {
    List<T> list = List.copyOf(all);
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < list.size(); from += size) {
      chunks.add(list.subList(from, Math.min(list.size(), from + size)));
    }
    return chunks;
  }

  /** Binds {@code ids} from parameter {@code first} on. */
  static void bind(PreparedStatement statement, int first, List<TopicKeyId> ids)
      throws SQLException {
    int parameter = first;
    for (TopicKeyId id : ids) {
      statement.setBytes(parameter++, id.bytes());
    }
  }
}
