package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TopicNamesTest {

  static Stream<Arguments> texts() {
    return Stream.of(
        arguments("", List.of()),
        arguments("a", List.of("a")),
        arguments("a,b", List.of("a", "b")),
        arguments("a\\,b,c", List.of("a,b", "c")),
        arguments("a\\\\,b", List.of("a\\", "b")),
        arguments("\\,,\\\\", List.of(",", "\\")));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void names_joinAndSplit(String text, List<String> names) {
    assertThat(TopicNames.join(names)).isEqualTo(text);
    assertThat(TopicNames.split(text)).isEqualTo(names);
  }
}
