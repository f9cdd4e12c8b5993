package io.rowqueue.internal.message;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.PayloadException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses payload classes with annotations that the worker's Jackson would ignore. A plug-in has
 * its own Jackson, or none. An annotation of jackson-databind is then a different class, or
 * missing, and the handler would get nulls. So it does if Jackson 3 reads, which has such
 * annotations of its own.
 */
public final class PayloadClasses {

  private static final String DESCRIPTOR = "Lcom/fasterxml/jackson/databind/annotation/";
  private static final String OF_JACKSON_3 = "Ltools/jackson/databind/annotation/";

  private static final Class<? extends Annotation> INSIDE = JacksonAnnotationsInside.class;

  private final boolean isJackson3;
  private final Set<Class<?>> seen = new HashSet<>();
  private final Deque<Type> left = new ArrayDeque<>();

  private PayloadClasses(boolean isJackson3) {
    this.isJackson3 = isJackson3;
  }

  /**
   * Checks {@code type}, the types of its members, and the classes that annotations name,
   * recursively.
   *
   * @throws PayloadException if the worker's Jackson would ignore an annotation
   */
  static void check(Type type) {
    new PayloadClasses(false).checkAll(type);
  }

  /**
   * The same where Jackson 3 reads. An annotation may be there for both versions.
   *
   * @throws PayloadException if Jackson 3 would ignore an annotation
   */
  public static void checkForJackson3(Type type) {
    new PayloadClasses(true).checkAll(type);
  }

  private void checkAll(Type type) {
    left.add(type);
    while (!left.isEmpty()) {
      visit(left.remove());
    }
  }

  private void visit(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      left.add(parameterized.getRawType());
      left.addAll(Arrays.asList(parameterized.getActualTypeArguments()));
    } else if (type instanceof GenericArrayType array) {
      left.add(array.getGenericComponentType());
    } else if (type instanceof WildcardType wildcard) {
      left.addAll(Arrays.asList(wildcard.getUpperBounds()));
    } else if (type instanceof Class<?> raw) {
      visit(raw);
    }
  }

  private void visit(Class<?> type) {
    if (type.isArray()) {
      left.add(type.getComponentType());
      return;
    }
    ClassLoader loader = type.getClassLoader();
    boolean isShared = !isJackson3 && loader == ObjectMapper.class.getClassLoader();
    if (loader == null || isShared || !seen.add(type)) {
      return;
    }
    for (String annotation : annotations(type)) {
      if (isJackson3) {
        throw new PayloadException(
            "%s has the annotation %s, which Jackson 3 ignores; use the one of tools.jackson.databind.annotation"
                .formatted(type.getName(), annotation));
      }
      checkSame(type, annotation);
    }
    visitAnnotations(type);
    for (Field field : type.getDeclaredFields()) {
      left.add(field.getGenericType());
      visitAnnotations(field);
    }
    Arrays.stream(type.getDeclaredConstructors()).forEach(this::visit);
    Arrays.stream(type.getDeclaredMethods()).forEach(this::visit);
    if (type.getGenericSuperclass() != null) {
      left.add(type.getGenericSuperclass());
    }
    left.addAll(Arrays.asList(type.getGenericInterfaces()));
    if (type.isSealed()) {
      left.addAll(Arrays.asList(type.getPermittedSubclasses()));
    }
  }

  /** Other methods are not read, and may use classes with annotations for another Jackson. */
  private void visit(Executable executable) {
    boolean isRead = executable instanceof Method method && isProperty(method);
    isRead |= visitAnnotations(executable);
    for (Parameter parameter : executable.getParameters()) {
      isRead |= visitAnnotations(parameter);
    }
    if (isRead && !executable.isAnnotationPresent(JsonIgnore.class)) {
      left.addAll(Arrays.asList(executable.getGenericParameterTypes()));
      left.add(executable.getAnnotatedReturnType().getType());
    }
  }

  private static boolean isProperty(Method method) {
    return method.getParameterCount() == 0
        ? Modifier.isAbstract(method.getModifiers())
        : method.getParameterCount() == 1 && method.getName().startsWith("set");
  }

  /**
   * Follows annotations of the plug-in's own that bundle those of Jackson, and the classes that
   * annotations of Jackson name. Returns whether there are any.
   */
  private boolean visitAnnotations(AnnotatedElement element) {
    boolean any = false;
    for (Annotation annotation : element.getAnnotations()) {
      boolean isBundle = annotation.annotationType().isAnnotationPresent(INSIDE);
      boolean isShared = annotation.annotationType().getPackage() == INSIDE.getPackage();
      any |= isBundle || isShared;
      if (isBundle) {
        left.add(annotation.annotationType());
      } else if (isShared) {
        visitMembers(annotation);
      }
    }
    return any;
  }

  private void visitMembers(Annotation annotation) {
    for (Method member : annotation.annotationType().getDeclaredMethods()) {
      visitNamed(value(annotation, member));
    }
  }

  private void visitNamed(@Nullable Object value) {
    if (value instanceof Class<?> named) {
      left.add(named);
    } else if (value instanceof Annotation nested) {
      visitMembers(nested);
    } else if (value instanceof Object[] all) {
      Arrays.stream(all).forEach(this::visitNamed);
    }
  }

  /** Null if it names a class that is missing. */
  private static @Nullable Object value(Annotation annotation, Method member) {
    try {
      return member.invoke(annotation);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static void checkSame(Class<?> type, String annotation) {
    boolean same;
    try {
      Class<?> theirs = Class.forName(annotation, false, type.getClassLoader());
      same = theirs.getClassLoader() == ObjectMapper.class.getClassLoader();
    } catch (ClassNotFoundException | LinkageError e) {
      same = false;
    }
    if (!same) {
      throw new PayloadException(
          "%s has the annotation %s, which the worker's Jackson would ignore: plug-ins share only com.fasterxml.jackson.annotation with the worker; use @JsonProperty, or give the binding a codec with your own ObjectMapper"
              .formatted(type.getName(), annotation));
    }
  }

  /** Reads the class file, since the JVM drops annotations whose class is missing. */
  private Set<String> annotations(Class<?> type) {
    Set<String> names = new HashSet<>();
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
      if (in == null) {
        return names;
      }
      Set<String> constants = constants(in.readAllBytes());
      for (String constant : constants) {
        boolean isRead =
            isJackson3 && constants.contains(constant.replace(DESCRIPTOR, OF_JACKSON_3));
        if (constant.startsWith(DESCRIPTOR) && constant.endsWith(";") && !isRead) {
          names.add(constant.substring(1, constant.length() - 1).replace('/', '.'));
        }
      }
      return names;
    } catch (IOException e) {
      throw new PayloadException("the class file of %s cannot be read".formatted(type), e);
    }
  }

  /**
   * Reads the strings of the constant pool: <a
   * href="https://docs.oracle.com/javase/specs/jvms/se17/html/jvms-4.html#jvms-4.4">JVMS 4.4</a>.
   */
  private static Set<String> constants(byte[] file) throws IOException {
    Set<String> texts = new HashSet<>();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
    in.skipNBytes(8);
    int count = in.readUnsignedShort();
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case 1 -> texts.add(in.readUTF());
        case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
        case 5, 6 -> {
          in.skipNBytes(8);
          i++;
        }
        case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
        case 15 -> in.skipNBytes(3);
        default -> throw new IOException("unknown entry in the constant pool");
      }
    }
    return texts;
  }
}
