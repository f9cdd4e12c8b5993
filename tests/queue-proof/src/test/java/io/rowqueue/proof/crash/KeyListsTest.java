package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * MySQL reads a table that it believes to be as good as empty whole, where a statement names rows
 * by a list of keys, and waits for strangers' rows; with a forced index it goes by the keys, as
 * {@code KeyListPlanIT} shows.
 */
class KeyListsTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "protocol.md");

  private static final Pattern BLOCK = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);

  private static final Pattern LOCKS =
      Pattern.compile("^(UPDATE|DELETE)\\b.*|.*\\bFOR UPDATE\\b.*");

  private static final Pattern KEY_LIST = Pattern.compile("\\bid IN \\(\\?|_id IN \\(\\?");

  private static List<String> statements() throws IOException {
    return BLOCK
        .matcher(Files.readString(PAGE))
        .results()
        .map(MatchResult::group)
        .flatMap(block -> Pattern.compile(";\\s*\\n").splitAsStream(block))
        .map(statement -> statement.replaceAll("(?m)^(--|```).*$", ""))
        .map(statement -> statement.strip().replaceAll("\\s+", " "))
        .toList();
  }

  @Test
  void statements_thatLockRowsByAListOfKeys_forceTheirIndex() throws IOException {
    List<String> locking =
        statements().stream()
            .filter(statement -> LOCKS.matcher(statement).matches())
            .filter(statement -> KEY_LIST.matcher(statement).find())
            .toList();
    assertThat(locking).as("statements with lists of keys").hasSizeGreaterThan(20);
    assertThat(locking).allSatisfy(statement -> assertThat(statement).contains("FORCE INDEX"));
  }
}
