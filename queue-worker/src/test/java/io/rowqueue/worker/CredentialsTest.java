package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CredentialsTest {

  private static final String SECRET = "long-enough-secret";

  private static String basic(String user, String secret) {
    byte[] both = (user + ":" + secret).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  @Test
  void token_givenEitherWay_letsIn() {
    Credentials token = Credentials.token(SECRET);
    assertThat(token.who("Bearer " + SECRET)).isEqualTo("token");
    assertThat(token.who(basic("ada", SECRET))).isEqualTo("ada (by token)");
    assertThat(token.who(basic("", SECRET))).isEqualTo("token");
  }

  @Test
  void anythingElse_letsNobodyIn() {
    Credentials token = Credentials.token(SECRET);
    Credentials users = Credentials.users("ada:" + SECRET);
    for (Credentials one : new Credentials[] {token, users}) {
      assertThat(one.who(null)).isNull();
      assertThat(one.who("")).isNull();
      assertThat(one.who("Basic")).isNull();
      assertThat(one.who("Basic %%%")).isNull();
      assertThat(one.who(basic("ada", ""))).isNull();
      assertThat(one.who(basic("ada", SECRET + "x"))).isNull();
      assertThat(one.who("Bearer x")).isNull();
    }
    assertThat(users.who("Bearer " + SECRET)).isNull();
    assertThat(users.who(basic("", ""))).isNull();
    assertThat(users.who(basic("eve", SECRET))).isNull();
    assertThat(users.who(basic("ada", SECRET))).isEqualTo("ada");
  }

  @Test
  void secrets_thatAreShort_areRefusedAndNotQuoted() {
    assertThatThrownBy(() -> Credentials.token("short"))
        .hasMessageContaining("has 5 characters")
        .hasMessageNotContaining("short");
    assertThatThrownBy(() -> Credentials.users("ada:hunter2"))
        .hasMessageContaining("line 1")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> Credentials.users("hunter2-and-more"))
        .hasMessageContaining("line 1")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> Credentials.users("# nobody")).hasMessageContaining("has no user");
    assertThat(Credentials.token(SECRET).toString()).doesNotContain(SECRET);
  }

  @Test
  void roles_areReadFromTheEndOfALine_andFromASecondToken() {
    Credentials users =
        Credentials.users(
            "ada:" + SECRET + "\nbob:" + SECRET + ":read\neve:" + SECRET + ":x:operate");
    assertThat(users.login(basic("ada", SECRET)))
        .isEqualTo(new Credentials.Login("ada", Permission.all()));
    assertThat(users.login(basic("bob", SECRET))).isEqualTo(new Credentials.Login("bob", Set.of()));
    assertThat(users.login(basic("bob", SECRET + ":read"))).isNull();
    assertThat(users.login(basic("eve", SECRET + ":x")))
        .isEqualTo(new Credentials.Login("eve", Permission.all()));
    assertThat(Credentials.secrets("bob:" + SECRET + ":read")).containsExactly(SECRET);
    Credentials some =
        Credentials.users("ada:" + SECRET + ":redrive+pause\nbob:" + SECRET + ":redriv");
    assertThat(some.login(basic("ada", SECRET)))
        .isEqualTo(new Credentials.Login("ada", Set.of(Permission.REDRIVE, Permission.PAUSE)));
    assertThat(some.login(basic("bob", SECRET))).as("no role, so part of the password").isNull();
    assertThatThrownBy(() -> Credentials.users("bob:short:operate"))
        .hasMessageContaining("has 5 characters");

    Credentials tokens = Credentials.tokens(SECRET, SECRET + "-read");
    assertThat(tokens.login("Bearer " + SECRET))
        .isEqualTo(new Credentials.Login("token", Permission.all()));
    assertThat(tokens.login("Bearer " + SECRET + "-read"))
        .isEqualTo(new Credentials.Login("token", Set.of()));
    assertThat(tokens.login("Bearer " + SECRET + "-other")).isNull();
    assertThatThrownBy(() -> Credentials.tokens(SECRET, SECRET)).hasMessageContaining("equal");
  }
}
