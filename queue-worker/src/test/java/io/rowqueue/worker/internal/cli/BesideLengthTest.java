package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.Counts;
import io.rowqueue.operate.MessageDetails.Row;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.worker.internal.cli.MessageTexts.ExternalBodyLength;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What `messages show` says of a payload that does not lie in its row. */
class BesideLengthTest {

  private static final String IN_ROWS = "{\"rowqueue-body\":\"rows\"}";
  private static final String STORED = "{\"rowqueue-body\":\"stored\"}";

  private static MessageDetails found(@Nullable String headers) {
    Instant at = Instant.EPOCH;
    StoredBody body = new StoredBody(new byte[0], headers);
    return new MessageDetails(
        new MessageId(5),
        MessageLocation.AVAILABLE,
        new Row("t", 0, new Counts(0, 0, 0), at, at, at, "", null, null, body),
        List.of());
  }

  private static ExternalBodyLength length(MessageDetails found, long bytes) {
    return ExternalBodyLength.of(found, id -> OptionalLong.of(bytes));
  }

  private static String text(MessageDetails found, ExternalBodyLength external) {
    return MessageTexts.of(found, external, false).replaceAll("(?s).*\npayload +", "");
  }

  private static String json(MessageDetails found, ExternalBodyLength external) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    MessageTexts.fill(root, found, external, false);
    return root.get("payloadBytes").toString();
  }

  @Test
  void of_whatLiesOutsideTheRow_isSaidWithItsPlace() {
    MessageDetails rows = found(IN_ROWS);
    assertThat(text(rows, length(rows, 700_000)))
        .isEqualTo("700,000 bytes, stored separately in queue_payload_chunk");
    assertThat(json(rows, length(rows, 700_000))).isEqualTo("700000");
    MessageDetails stored = found(STORED);
    assertThat(text(stored, length(stored, 1)))
        .isEqualTo("1 byte, stored separately in a body store, by queue_payload_ref");
  }

  @Test
  void of_whatIsGone_isNotTakenForAnEmptyOne() {
    MessageDetails found = found(IN_ROWS);
    ExternalBodyLength gone = ExternalBodyLength.of(found, id -> OptionalLong.empty());
    assertThat(text(found, gone))
        .isEqualTo("stored separately in queue_payload_chunk, where it is missing");
    assertThat(json(found, gone)).isEqualTo("null");
  }

  @Test
  void of_whatLiesInTheRow_asksNobody() {
    MessageDetails found = found(null);
    ExternalBodyLength none =
        ExternalBodyLength.of(
            found,
            id -> {
              throw new AssertionError("nobody is asked");
            });
    assertThat(text(found, none)).isEqualTo("0 bytes");
    assertThat(json(found, none)).isEqualTo("0");
  }

  /** As for an account that was made before it could be asked. */
  @Test
  void of_whatTheAccountMayNotRead_showsTheRestAndWhoMay() {
    MessageDetails found = found(IN_ROWS);
    ExternalBodyLength hidden = ExternalBodyLength.of(found, id -> refused(1142));
    assertThat(text(found, hidden))
        .isEqualTo(
            "stored separately in queue_payload_chunk; an account with `grants operator` can read"
                + " its size");
    assertThat(json(found, hidden)).isEqualTo("null");
    assertThatThrownBy(() -> ExternalBodyLength.of(found, id -> refused(1146)))
        .isInstanceOf(DatabaseUnavailableException.class);
  }

  private static OptionalLong refused(int code) {
    throw new DatabaseUnavailableException("refused", new SQLException("refused", "42000", code));
  }
}
