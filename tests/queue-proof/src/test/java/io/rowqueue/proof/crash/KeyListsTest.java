package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * MySQL reads a table that it believes to be as good as empty whole, where a statement names rows
 * by a list of keys, and waits for strangers' rows; with a forced index it goes by the keys, as
 * {@code KeyListPlanIT} shows.
 */
class KeyListsTest {

  private static final Pattern LOCKS =
      Pattern.compile("^(UPDATE|DELETE)\\b.*|.*\\bFOR UPDATE\\b.*");

  private static final Pattern KEY_LIST = Pattern.compile("\\bid IN \\(\\?|_id IN \\(\\?");

  @Test
  void statements_thatLockRowsByAListOfKeys_forceTheirIndex() throws IOException {
    List<String> locking =
        StatementsFile.read().statements().stream()
            .filter(statement -> LOCKS.matcher(statement).matches())
            .filter(statement -> KEY_LIST.matcher(statement).find())
            .toList();
    assertThat(locking).as("statements with lists of keys").hasSizeGreaterThan(20);
    assertThat(locking).allSatisfy(statement -> assertThat(statement).contains("FORCE INDEX"));
  }
}
