package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.DatabaseConfig;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers that the driver passes on without a word about what to do. */
class ConnectFailureTest {

  @ParameterizedTest
  @CsvSource({
    "1298, Unknown or incorrect time zone: 'Mars', 'mysql_tzinfo_to_sql), or correct'",
    "1862, Your password has expired., set another one by ALTER USER",
    "0, Public Key Retrieval is not allowed, use TLS (sslMode=REQUIRED in --url)"
  })
  void describe_ofAnAnswerOfTheServer_saysWhatToDo(int code, String answer, String remedy) {
    DatabaseConfig database = new DatabaseConfig("jdbc:mysql://db:3306/shop", "w", "secret");
    assertThat(ConnectFailure.describe(new SQLException(answer, "HY000", code), database))
        .startsWith("database //db:3306/shop: ")
        .contains(remedy);
  }
}
