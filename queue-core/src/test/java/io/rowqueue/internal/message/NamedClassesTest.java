package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.PayloadException;
import io.rowqueue.spi.PayloadCodec;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class NamedClassesTest {

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface ByClass {}

  record OneByClass(int number) implements ByClass {}

  record MemberByClass(@JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS) Object held) {}

  record ElementByClass(List<ByClass> all) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
  record Overridden(int number) implements ByClass {}

  record Ignored(int number, @JsonIgnore ByClass unread) {}

  record TaggedByName(
      @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(OneByClass.class))
          ByClass held,
      @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(OneByClass.class))
          List<ByClass> all) {}

  record Text(@JsonValue String text) {
    /** Not written. */
    public ByClass getHeld() {
      return new OneByClass(1);
    }
  }

  /** They could be written, but never read. */
  @Test
  void classNames_areRefusedBeforeTheyAreWritten() {
    for (Object payload :
        List.of(
            new OneByClass(1),
            new MemberByClass("x"),
            new ElementByClass(List.of(new OneByClass(1))))) {
      for (ThrowingCallable refused :
          List.<ThrowingCallable>of(
              () -> PayloadCodec.json().encode(payload),
              () -> PayloadCodec.json().check(payload.getClass()))) {
        assertThatThrownBy(refused)
            .isInstanceOf(PayloadException.class)
            .hasMessageContaining("CLASS), but payloads may not name classes")
            .hasMessageContaining("use Id.NAME with @JsonSubTypes");
      }
    }
  }

  @Test
  void classNames_whichAPropertyOverrides_orAJsonValueLeavesOut_areFine() {
    PayloadCodec codec = PayloadCodec.json();
    for (Object payload :
        List.of(new TaggedByName(new OneByClass(1), List.of(new OneByClass(2))), new Text("x"))) {
      codec.check(payload.getClass());
      assertThat(codec.decode(codec.encode(payload), payload.getClass())).isEqualTo(payload);
    }
  }

  @Test
  void classNames_thatAreNotWritten_orThatTheApplicationsMapperReads_areFine() {
    PayloadCodec.json().encode(new Overridden(1));
    PayloadCodec.json().encode(new Ignored(1, new OneByClass(2)));
    PayloadCodec own = PayloadCodec.json(new ObjectMapper());
    assertThat(own.decode(own.encode(new OneByClass(1)), ByClass.class))
        .isEqualTo(new OneByClass(1));
  }
}
