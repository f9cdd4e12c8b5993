package io.rowqueue.internal.message;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.lang.reflect.Executable;
import org.jspecify.annotations.Nullable;

/**
 * As Kotlin's module does, names the parameters of a class without annotations; for one class, so
 * that other tests run without it. It also changes the mapper, as no module should.
 */
public final class FoundModule extends SimpleModule {

  private static final long serialVersionUID = 1L;

  /** A payload without setters, a default constructor or annotations. */
  static final class DataClass {

    private final String name;
    private final int count;

    public DataClass(String name, int count) {
      this.name = name;
      this.count = count;
    }

    public String getName() {
      return name;
    }

    public int getCount() {
      return count;
    }
  }

  @Override
  public void setupModule(SetupContext context) {
    context.insertAnnotationIntrospector(new ParameterNames());
    ObjectMapper mapper = context.getOwner();
    mapper.enable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    mapper.activateDefaultTyping(mapper.getPolymorphicTypeValidator());
  }

  private static final class ParameterNames extends NopAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable String findImplicitPropertyName(AnnotatedMember member) {
      return member instanceof AnnotatedParameter parameter
              && member.getDeclaringClass() == DataClass.class
          ? ((Executable) parameter.getOwner().getMember())
              .getParameters()[parameter.getIndex()].getName()
          : null;
    }
  }
}
