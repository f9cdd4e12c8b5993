package io.rowqueue.internal.message;

import io.rowqueue.PayloadException;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses payloads whose JSON would lack the names of subtypes. Jackson writes such a name only
 * where it knows the type that declares it, and the class of a generic payload tells no type
 * arguments. Thread-safe.
 */
public final class SubtypeNames {

  private static final String ADVICE =
      "; use NewMessage.of(topic, payload, type) with the payload type of the handler";

  private final Predicate<Class<?>> hasName;
  private final Map<Class<?>, Boolean> named = new ConcurrentHashMap<>();
  private final Map<Class<?>, Untyped> untyped = new ConcurrentHashMap<>();

  /**
   * Asks {@code hasName} once for each class.
   *
   * @param hasName whether a codec writes a value with the name of its subtype if it knows that its
   *     declared type is the class
   */
  public SubtypeNames(Predicate<Class<?>> hasName) {
    this.hasName = hasName;
  }

  /**
   * The values of which Jackson does not know the declared type.
   *
   * @param isPlain whether the class has none
   * @param in returns them; the values may be null
   */
  private record Untyped(boolean isPlain, Function<Object, Stream<?>> in) {

    static final Untyped NONE = new Untyped(true, value -> Stream.empty());

    static Untyped of(Function<Object, Stream<?>> in) {
      return new Untyped(false, in);
    }
  }

  /**
   * Checks a payload that is to be written without its type.
   *
   * @throws PayloadException if a name would be missing
   */
  public void check(Object payload) {
    if (untyped(payload).isPlain) {
      return;
    }
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> left = new ArrayDeque<>();
    left.add(payload);
    while (!left.isEmpty()) {
      Object value = left.remove();
      if (value != payload && isNamed(value.getClass())) {
        throw new PayloadException(
            "a %s contains a %s, whose subtype name would not be written%s"
                .formatted(payload.getClass().getName(), value.getClass().getName(), ADVICE));
      }
      Untyped inside = untyped(value);
      if (!inside.isPlain && seen.add(value)) {
        inside.in.apply(value).filter(Objects::nonNull).forEach(left::add);
      }
    }
  }

  private boolean isNamed(Class<?> type) {
    return named.computeIfAbsent(type, hasName::test);
  }

  private Untyped untyped(Object value) {
    return untyped.computeIfAbsent(value.getClass(), this::find);
  }

  private Untyped find(Class<?> type) {
    if (type.isArray()) {
      Class<?> element = type.getComponentType();
      return element.isPrimitive() || isNamed(element)
          ? Untyped.NONE
          : Untyped.of(value -> Arrays.stream((Object[]) value));
    }
    if (type == Optional.class) {
      return Untyped.of(value -> ((Optional<?>) value).stream());
    }
    if (AtomicReference.class.isAssignableFrom(type)) {
      return Untyped.of(value -> Stream.ofNullable(((AtomicReference<?>) value).get()));
    }
    if (Collection.class.isAssignableFrom(type)) {
      return container(type, Collection.class, value -> ((Collection<?>) value).stream());
    }
    if (Map.class.isAssignableFrom(type)) {
      return container(type, Map.class, value -> ((Map<?, ?>) value).values().stream());
    }
    if (Map.Entry.class.isAssignableFrom(type)) {
      return container(
          type, Map.Entry.class, value -> Stream.ofNullable(((Map.Entry<?, ?>) value).getValue()));
    }
    return type == Class.class ? Untyped.NONE : fields(type);
  }

  /** The last type parameter of {@code container} is that of its values. */
  private Untyped container(Class<?> type, Class<?> container, Function<Object, Stream<?>> values) {
    Map<TypeVariable<?>, Type> known = arguments(type);
    TypeVariable<?>[] parameters = container.getTypeParameters();
    Type value = parameters[parameters.length - 1];
    while (value instanceof TypeVariable<?> && known.containsKey(value)) {
      value = known.get(value);
    }
    return value == Object.class || isOpen(value, known) ? Untyped.of(values) : Untyped.NONE;
  }

  /** The type arguments that {@code type} and its supertypes give to theirs. */
  private static Map<TypeVariable<?>, Type> arguments(Class<?> type) {
    Map<TypeVariable<?>, Type> known = new HashMap<>();
    Deque<Class<?>> left = new ArrayDeque<>(List.of(type));
    while (!left.isEmpty()) {
      Class<?> each = left.pop();
      Stream.concat(
              Stream.ofNullable(each.getGenericSuperclass()),
              Arrays.stream(each.getGenericInterfaces()))
          .forEach(
              parent -> {
                Class<?> raw = raw(parent);
                if (parent instanceof ParameterizedType generic) {
                  for (int i = 0; i < raw.getTypeParameters().length; i++) {
                    known.put(raw.getTypeParameters()[i], generic.getActualTypeArguments()[i]);
                  }
                }
                left.push(raw);
              });
    }
    return known;
  }

  /** The class of a supertype, or of a bound. */
  private static Class<?> raw(Type type) {
    if (type instanceof ParameterizedType generic) {
      return (Class<?>) generic.getRawType();
    }
    return type instanceof TypeVariable<?> variable
        ? raw(variable.getBounds()[0])
        : (Class<?>) type;
  }

  private Untyped fields(Class<?> type) {
    List<Field> open = new ArrayList<>();
    Map<TypeVariable<?>, Type> known = arguments(type);
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && isOpen(field.getGenericType(), known)) {
          open.add(field);
        }
      }
    }
    if (open.isEmpty()) {
      return Untyped.NONE;
    }
    boolean areReadable = open.stream().allMatch(Field::trySetAccessible);
    return Untyped.of(
        value -> {
          if (!areReadable) {
            throw new PayloadException(
                "the fields of a %s cannot be read, so that names of subtypes in it may not be written%s"
                    .formatted(type.getName(), ADVICE));
          }
          return open.stream().map(field -> value(field, value));
        });
  }

  /** Jackson takes the elements of a {@code T[]} for objects, whatever the class of the array. */
  private static @Nullable Object value(Field field, Object value) {
    try {
      Object found = field.get(value);
      return found instanceof Object[] array && field.getGenericType() instanceof GenericArrayType
          ? Arrays.asList(array)
          : found;
    } catch (IllegalAccessException e) {
      throw new PayloadException("%s cannot be read".formatted(field), e);
    }
  }

  /** Whether a type argument that the payload's class does not tell is a part of {@code type}. */
  private boolean isOpen(Type type, Map<TypeVariable<?>, Type> known) {
    if (type instanceof TypeVariable<?> variable) {
      Type argument = known.get(variable);
      return argument == null ? !isNamed(raw(variable)) : isOpen(argument, known);
    }
    if (type instanceof ParameterizedType generic) {
      return Arrays.stream(generic.getActualTypeArguments()).anyMatch(one -> isOpen(one, known));
    }
    if (type instanceof GenericArrayType array) {
      return isOpen(array.getGenericComponentType(), known);
    }
    return type instanceof WildcardType wildcard && isOpen(wildcard.getUpperBounds()[0], known);
  }
}
