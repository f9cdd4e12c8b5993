package io.rowqueue.internal.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
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
  private final Set<Place> seen = new HashSet<>();
  private final Deque<Place> left = new ArrayDeque<>();

  /**
   * A type in what is written.
   *
   * @param tagged whether the annotation of a property says how its values are tagged, and not that
   *     of the type
   */
  private record Place(JavaType type, boolean tagged) {}

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
    classes.left.add(new Place(mapper.constructType(type), false));
    while (!classes.left.isEmpty() && classes.seen.size() < MOST) {
      classes.visit(classes.left.remove());
    }
  }

  private void visit(Place place) {
    if (!seen.add(place)) {
      return;
    }
    JavaType type = place.type;
    if (type.getContentType() != null) {
      left.add(new Place(type.getContentType(), place.tagged));
    }
    for (JavaType argument : type.getBindings().getTypeParameters()) {
      left.add(new Place(argument, place.tagged && argument.equals(type.getContentType())));
    }
    if (type.getRawClass().getClassLoader() == null) {
      return;
    }
    BeanDescription bean = mapper.getSerializationConfig().introspect(type);
    Annotations own = bean.getClassAnnotations();
    if (!place.tagged) {
      check(type.getRawClass().getName(), own.get(JsonTypeInfo.class), own);
    }
    JsonSubTypes subtypes = own.get(JsonSubTypes.class);
    for (JsonSubTypes.Type each : subtypes == null ? new JsonSubTypes.Type[0] : subtypes.value()) {
      left.add(new Place(mapper.constructType(each.value()), place.tagged));
    }
    if (bean.findJsonValueAccessor() != null) {
      visit("the JSON value", type, bean.findJsonValueAccessor());
      return;
    }
    for (BeanPropertyDefinition property : properties(bean)) {
      if (property.getAccessor() != null) {
        visit("'" + property.getName() + "'", type, property.getAccessor());
      }
    }
  }

  private void visit(String name, JavaType type, AnnotatedMember member) {
    JsonSerialize own = member.getAnnotation(JsonSerialize.class);
    if (own != null && own.using() != JsonSerializer.None.class) {
      return; // it need not write the type's members
    }
    JsonTypeInfo info = member.getAnnotation(JsonTypeInfo.class);
    check(name + " of " + type.getRawClass().getName(), info, member.getAllAnnotations());
    left.add(new Place(member.getType(), info != null));
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
