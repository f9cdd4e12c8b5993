package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.internal.grant.Grant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrantScriptTest {

  private static final SchemaName APP = new SchemaName("app");
  private static final Account ADA = Account.of("ada@10.%");

  @ParameterizedTest
  @EnumSource(Role.class)
  void script_ofEveryRole_hasNothingButCommentsAndGrantsAndNoPlaceholder(Role role) {
    String text = GrantScript.of(role).text(APP, ADA);
    assertThat(text).doesNotContain("{", "}");
    assertThat(text.lines()).allMatch(line -> line.startsWith("--") || line.startsWith("GRANT "));
    assertThat(text.lines().filter(line -> line.startsWith("GRANT ")))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" TO 'ada'@'10.%';"));
    assertThat(Grant.of(role)).isNotEmpty();
  }

  @Test
  void grants_ofAStatement_areItsPrivilegesWithTheirColumns() {
    assertThat(
            Grant.in(
                """
                GRANT SELECT (a, b), INSERT, CREATE ROUTINE ON {schema}.t TO {account};
                -- GRANT DELETE ON {schema}.t TO {account};
                GRANT /*!80000 X_Y */ /*M! X Y */ ON *.* TO {account};
                """))
        .containsExactly(
            new Grant("SELECT", List.of("a", "b"), "t"),
            new Grant("INSERT", List.of(), "t"),
            new Grant("CREATE ROUTINE", List.of(), "t"),
            new Grant("X_Y", List.of(), "*"));
  }

  @Test
  void schemaAndAccount_withQuotesAndPlaceholders_stayNames() {
    SchemaName schema = new SchemaName("my_a`pp%{account}");
    Account account = new Account("o'hara{schema}", "%");
    assertThat(GrantScript.of(Role.MIGRATOR).text(schema, account))
        .contains(" ON `my\\_a``pp\\%{account}`.* TO 'o''hara{schema}'@'%';");
    assertThat(GrantScript.of(Role.NOTIFIER).text(schema, account))
        .contains(" ON `my_a``pp%{account}`.queue_worker TO ");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "app@10.%,'app'@'10.%'",
        "'app'@'%','app'@'%'",
        "team_role,'team_role'",
        "'team_role','team_role'",
        "a@b@localhost,'a@b'@'localhost'"
      })
  void account_inItsForms_isQuoted(String text, String sql) {
    assertThat(Account.of(text).sql()).isEqualTo(sql);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "@%", "app@", "a\\@%", "a\n@%", "a\u0000b"})
  void account_thatCannotBe_isRefused(String text) {
    assertThatThrownBy(() -> Account.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("an account's ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\\b", "a\nb"})
  void schema_thatCannotBe_isRefused(String name) {
    assertThatThrownBy(() -> new SchemaName(name)).isInstanceOf(IllegalArgumentException.class);
  }
}
