package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestServerTest {

  @Test
  void url_ofAnotherSchema_keepsHostAndParameters() {
    TestServer server =
        TestServer.at("jdbc:mysql://127.0.0.1:13306/it?user=ada&password=p%26w&useSSL=false");

    assertThat(server.url("rq_1"))
        .isEqualTo("jdbc:mysql://127.0.0.1:13306/rq_1?user=ada&password=p%26w&useSSL=false");
    assertThat(server.user()).isEqualTo("ada");
    assertThat(server.password()).isEqualTo("p&w");
  }

  @Test
  void url_withoutSchemaOrAccount_isTaken() {
    TestServer server = TestServer.at("jdbc:mysql://db/");

    assertThat(server.url("rq_1")).isEqualTo("jdbc:mysql://db/rq_1");
    assertThat(server.user()).isEmpty();
    assertThat(server.password()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql://db/it", "jdbc:mysql:it", "127.0.0.1:3306"})
  void at_noUrlOfMySql_saysTheForm(String url) {
    assertThatThrownBy(() -> TestServer.at(url))
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("rowqueue.test.url=jdbc:mysql://");
  }
}
