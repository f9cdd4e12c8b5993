package io.rowqueue.internal.message;

import io.rowqueue.PayloadException;
import io.rowqueue.PayloadVersion;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Payload versions of types and of headers. Thread-safe. */
public final class Versions {

  /** The version of a type or message without a declared version. */
  public static final int FIRST = 1;

  /** The maximum version. */
  public static final int LAST = 9_999;

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,3}");

  /** Cached, since producers read the version for each message. */
  private static final ClassValue<Integer> KNOWN =
      new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
          return checked(type, annotated(type));
        }
      };

  private Versions() {}

  /**
   * The version of {@code type}: the value of its {@link PayloadVersion}, or 1.
   *
   * @throws IllegalArgumentException if the value is not between 1 and 9,999
   */
  public static int of(Type type) {
    if (type instanceof Class<?> plain) {
      return KNOWN.get(plain);
    }
    return type instanceof ParameterizedType generic ? of(generic.getRawType()) : FIRST;
  }

  /**
   * The version in {@code headers}; 1 without a version header.
   *
   * @throws PayloadException if the header is not a number from 1 to 9,999
   */
  public static int of(Map<String, String> headers) {
    String text = headers.get(Headers.VERSION);
    if (text == null) {
      return FIRST;
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new PayloadException(
          "the header %s is '%s', which is not a number from 1 to 9,999"
              .formatted(Headers.VERSION, shortened(text)));
    }
    return Integer.parseInt(text);
  }

  private static @Nullable PayloadVersion annotated(@Nullable Class<?> type) {
    if (type == null) {
      return null;
    }
    PayloadVersion found = type.getAnnotation(PayloadVersion.class);
    found = found == null ? annotated(type.getSuperclass()) : found;
    Class<?>[] interfaces = type.getInterfaces();
    for (int i = 0; i < interfaces.length && found == null; i++) {
      found = annotated(interfaces[i]);
    }
    return found;
  }

  private static int checked(Class<?> type, @Nullable PayloadVersion version) {
    if (version == null) {
      return FIRST;
    }
    if (version.value() < FIRST || version.value() > LAST) {
      throw new IllegalArgumentException(
          "@PayloadVersion of %s must lie between 1 and 9,999, not %d"
              .formatted(type.getName(), version.value()));
    }
    return version.value();
  }

  private static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }
}
