package io.rowqueue.internal.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonTypeIdResolver;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.util.Annotations;
import io.rowqueue.PayloadException;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses types whose JSON would name classes: a mapper that may create none from the JSON would
 * write it and never read it. Follows what Jackson writes.
 */
final class NamedClasses {

  /** A generic type may contain itself with ever longer arguments. */
  private static final int MOST = 1_000;

  private final ObjectMapper mapper;
  private final Set<JavaType> seen = new HashSet<>();
  private final Deque<JavaType> left = new ArrayDeque<>();

  private NamedClasses(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * Checks {@code type}, its type arguments, and the types of its members, recursively.
   *
   * @throws PayloadException if a class would be named
   */
  static void refuse(ObjectMapper mapper, Type type) {
    NamedClasses classes = new NamedClasses(mapper);
    classes.left.add(mapper.constructType(type));
    while (!classes.left.isEmpty() && classes.seen.size() < MOST) {
      classes.visit(classes.left.remove());
    }
  }

  private void visit(JavaType type) {
    if (!seen.add(type)) {
      return;
    }
    if (type.getContentType() != null) {
      left.add(type.getContentType());
    }
    left.addAll(type.getBindings().getTypeParameters());
    if (type.getRawClass().getClassLoader() == null) {
      return;
    }
    BeanDescription bean = mapper.getSerializationConfig().introspect(type);
    Annotations own = bean.getClassAnnotations();
    check(type.getRawClass().getName(), own.get(JsonTypeInfo.class), own);
    JsonSubTypes subtypes = own.get(JsonSubTypes.class);
    for (JsonSubTypes.Type each : subtypes == null ? new JsonSubTypes.Type[0] : subtypes.value()) {
      left.add(mapper.constructType(each.value()));
    }
    for (BeanPropertyDefinition property : properties(bean)) {
      AnnotatedMember member = property.getAccessor();
      if (member != null) {
        String place = "'%s' of %s".formatted(property.getName(), type.getRawClass().getName());
        check(place, member.getAnnotation(JsonTypeInfo.class), member.getAllAnnotations());
        left.add(member.getType());
      }
    }
  }

  /** None if they contradict each other, so that it cannot be written. */
  private static List<BeanPropertyDefinition> properties(BeanDescription bean) {
    try {
      return bean.findProperties();
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** A resolver of the type's own need not name classes. */
  private static void check(String place, @Nullable JsonTypeInfo info, Annotations all) {
    if (info != null
        && (info.use() == JsonTypeInfo.Id.CLASS || info.use() == JsonTypeInfo.Id.MINIMAL_CLASS)
        && all.get(JsonTypeIdResolver.class) == null) {
      throw new PayloadException(
          "%s has @JsonTypeInfo(use = Id.%s), but payloads may not name classes, and no handler could read it; use Id.NAME with @JsonSubTypes"
              .formatted(place, info.use()));
    }
  }
}
