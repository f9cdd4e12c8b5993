package io.rowqueue.testkit;

import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds null parts of a payload that are not nullable. */
final class Gaps {

  private Gaps() {}

  /** Checks records recursively; other types do not declare nullability. */
  static List<String> in(Object payload) {
    List<String> gaps = new ArrayList<>();
    find(payload, payload.getClass().getSimpleName(), gaps);
    return gaps;
  }

  private static void find(Object value, String name, List<String> gaps) {
    if (!value.getClass().isRecord()) {
      return;
    }
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      String path = name + "." + component.getName();
      Object part = part(value, component);
      if (part != null) {
        find(part, path, gaps);
      } else if (!isNullable(component)) {
        gaps.add(path);
      }
    }
  }

  private static @Nullable Object part(Object value, RecordComponent component) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component + " cannot be read", e);
    }
  }

  /** Accepts the annotation of any library. */
  private static boolean isNullable(RecordComponent component) {
    List<Annotation> all = new ArrayList<>(List.of(component.getAnnotations()));
    all.addAll(List.of(component.getAnnotatedType().getAnnotations()));
    return all.stream().anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
  }
}
