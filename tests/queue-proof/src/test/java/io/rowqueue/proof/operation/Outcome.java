package io.rowqueue.proof.operation;

import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.race.Rows;
import io.rowqueue.tests.statement.Tap.Sent;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How an operation went.
 *
 * @param act what was done
 * @param answer what it returned; null if it threw
 * @param failure what it threw; null if it returned
 * @param sent every statement
 * @param repetitions what was rolled back and run again, and why
 * @param before every row of every table before it
 * @param after every row of every table after it
 */
public record Outcome(
    Act act,
    @Nullable Object answer,
    @Nullable RuntimeException failure,
    List<Sent> sent,
    List<String> repetitions,
    Rows before,
    Rows after) {

  private static final Pattern ID_OF_THE_SERVER = Pattern.compile(" id=(\\d{4,})");

  private static final Pattern NAMED_BY_A_KEY =
      Pattern.compile(
          "(?: (?:message_id|batch_id|chain_id|parent|first_message)=-?|\"rowqueue-batch\":\")"
              + "(\\d{4,})");

  /** The header of a message that was enqueued out of turn has the moment of that. */
  private static final Pattern MOMENT = Pattern.compile("(?<=scheduled-for\":\")[^\"]+\\.\\d+Z");

  /** Each try takes a number of its own, and nothing refers to it. */
  private static final Pattern AUDIT_ID = Pattern.compile("^queue_audit id=\\d+");

  /** The rows after it, without moments; the server's own ids by their order. */
  public List<String> rowsAfter() {
    return comparable(after);
  }

  /** The rows before it in the same way. */
  public List<String> rowsBefore() {
    return comparable(before);
  }

  private static List<String> comparable(Rows rows) {
    List<String> ids =
        rows.timeless().stream()
            .flatMap(row -> ID_OF_THE_SERVER.matcher(row).results().limit(1))
            .map(id -> id.group(1))
            .distinct()
            .toList();
    return rows.timeless().stream()
        .map(row -> MOMENT.matcher(row).replaceAll("now"))
        .map(row -> AUDIT_ID.matcher(row).replaceFirst("queue_audit"))
        .map(row -> named(ID_OF_THE_SERVER, row, ids))
        .map(row -> named(NAMED_BY_A_KEY, row, ids))
        .toList();
  }

  private static String named(Pattern pattern, String row, List<String> ids) {
    return pattern
        .matcher(row)
        .replaceAll(
            found ->
                found.group().replace(found.group(1), "new " + (ids.indexOf(found.group(1)) + 1)));
  }

  /** Whether anything was committed before the statement at {@code position}. */
  public boolean hasCommittedBefore(int position) {
    return sent.subList(0, position).stream().anyMatch(Sent::isCommit);
  }

  /**
   * Whether the statement at {@code position} belongs to a transaction that commits: to its own
   * connection's, or to that of a connection that was open already. Others are reads.
   */
  public boolean isOfTransaction(int position) {
    return isAutoCommitted(position) || isCommittedLater(position);
  }

  /** Whether the statement at {@code position} is of an enqueue that commits by itself. */
  public boolean isAutoCommitted(int position) {
    boolean ofEnqueue =
        sent.get(position).begins("INSERT INTO queue_message")
            || sent.get(position).begins("SELECT @@auto_increment_increment");
    return ofEnqueue && !isCommittedLater(position);
  }

  /** Whether the statement at {@code position} reads the ids of an INSERT that has committed. */
  public boolean isOfCommittedIds(int position) {
    return sent.get(position).begins("SELECT @rowqueue_step") && !isCommittedLater(position);
  }

  private boolean isCommittedLater(int position) {
    return sent.subList(position, sent.size()).stream()
        .anyMatch(
            later -> later.isCommit() && later.connection() <= sent.get(position).connection());
  }

  /** How many connections were used. */
  public long connections() {
    return sent.stream().mapToInt(Sent::connection).distinct().count();
  }

  /** The last statement on the connection of the one at {@code position}. */
  public Sent lastBeside(int position) {
    return sent.stream()
        .filter(one -> one.connection() == sent.get(position).connection())
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }
}
