package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Group;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Groups;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.worker.internal.cli.MessageTexts.ExternalBodyLength;
import java.util.List;
import java.util.Objects;

/** Dead letters and failed attempts, for people and programs. */
final class DeadLetterTexts {

  private static final List<Column<DeadLetter>> COLUMNS =
      List.of(
          Column.left("ID", "id", each -> each.id().value()),
          Column.left("TOPIC", "topic", each -> each.topic().name()),
          Column.left("REASON", "reason", each -> each.reason().label()),
          Column.inJson("detail", DeadLetter::detail),
          Column.inLines("claims", "claims", DeadLetter::claims),
          Column.right("FAILED", "attempts", DeadLetter::attempts),
          Column.right("LOST", "lost", DeadLetter::lost),
          Column.inLines("enqueued", "createdAt", DeadLetter::createdAt),
          Column.left("DEAD SINCE", "deadAt", DeadLetter::deadAt),
          Column.inTable("DETAIL", each -> TextTable.shortened(each.detail())));

  private static final List<Column<Group>> GROUP =
      List.of(
          Column.inTable("COUNT", each -> counted(each.count())),
          Column.inJson("count", each -> each.count().number()),
          Column.inJson("countIsLowerBound", each -> !each.count().isAll()),
          Column.left("GROUP", "group", each -> group(each.fingerprint())),
          Column.left("TOPIC", "topic", Group::topic),
          Column.left("FIRST", "firstDeadAt", Group::first),
          Column.left("LAST", "lastDeadAt", Group::last),
          Column.left("NEWEST", "newestId", each -> each.newest().value()),
          Column.inTable("ERROR", each -> TextTable.shortened(each.error())),
          Column.inJson("error", Group::error));

  /** For programs; people get {@link #attempts}. */
  static final List<Column<FailedAttempt>> ATTEMPT =
      List.of(
          Column.inJson("attempt", FailedAttempt::attempt),
          Column.inJson("claimNumber", FailedAttempt::claimNumber),
          Column.inJson("worker", FailedAttempt::worker),
          Column.inJson("failedAt", FailedAttempt::failedAt),
          Column.inJson("errorClass", FailedAttempt::errorClass),
          Column.inJson("errorMessage", FailedAttempt::errorMessage),
          Column.inJson("trace", FailedAttempt::trace));

  private DeadLetterTexts() {}

  /** The table of {@code found}, which are the first of {@code all}. */
  static String table(List<DeadLetter> found, long all) {
    String table = Column.table(found, COLUMNS, "No dead letters.");
    return all == found.size()
        ? table
        : "%s\n\nThese are %d of %d; --limit shows more.".formatted(table, found.size(), all);
  }

  static void fill(ObjectNode root, List<DeadLetter> found, long all) {
    root.put("matching", all);
    root.set("deadLetters", Column.nodes(found, COLUMNS));
  }

  static String table(Groups found) {
    String table = Column.table(found.groups(), GROUP, "No dead letters.");
    return found.found().number() <= DeadLetterGroups.MOST_GROUPS
        ? table
        : "%s\n\nThese are the most recent %d groups of %s; --topic, --since and --until choose others."
            .formatted(table, found.groups().size(), counted(found.found()));
  }

  static void fill(ObjectNode root, Groups found) {
    root.put("groups", found.found().number());
    root.put("groupsIsLowerBound", !found.found().isAll());
    root.set("deadLetterGroups", Column.nodes(found.groups(), GROUP));
  }

  /** The name of a group, which {@code --group} reads. */
  static String group(long fingerprint) {
    return "%016x".formatted(fingerprint);
  }

  private static String counted(Count count) {
    return count.number() + (count.isAll() ? "" : "+");
  }

  /** One line of JSON without payload and headers. */
  static String line(DeadLetter letter) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    Column.fill(node, letter, COLUMNS);
    return node.toString();
  }

  /** One line of JSON with the whole payload and the headers. */
  static String line(MessageDetails found) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    MessageTexts.fill(node, found, ExternalBodyLength.NONE, false);
    MessageTexts.fillWhole(node, Objects.requireNonNull(found.row()).body());
    return node.toString();
  }

  static String one(DeadLetter each, List<FailedAttempt> attempts) {
    return Column.lines(each, COLUMNS)
        + "\n\n"
        + TextTable.indented(each.detail())
        + attempts(attempts);
  }

  static void fill(ObjectNode root, DeadLetter each, List<FailedAttempt> attempts) {
    Column.fill(root, each, COLUMNS);
    root.set("failedAttempts", Column.nodes(attempts, ATTEMPT));
  }

  /** A paragraph each, with what parts it from the text before. */
  static String attempts(List<FailedAttempt> attempts) {
    StringBuilder text = new StringBuilder();
    for (FailedAttempt attempt : attempts) {
      text.append(
          "\n\nAttempt %d failed at %s, claim %d of %s:\n"
              .formatted(
                  attempt.attempt(), attempt.failedAt(), attempt.claimNumber(), attempt.worker()));
      // The trace begins with class and message, unless there is none.
      text.append(
          TextTable.indented(
              attempt.trace().isBlank()
                  ? attempt.errorClass() + ": " + attempt.errorMessage()
                  : attempt.trace()));
    }
    return text.toString();
  }
}
