package io.rowqueue.internal.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import com.fasterxml.jackson.databind.jsontype.PolymorphicTypeValidator;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.rowqueue.PayloadException;
import io.rowqueue.spi.TreeCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * JSON in UTF-8. Times are ISO-8601 text. Unknown fields are ignored, so that newer producers work
 * with older workers. Thread-safe.
 *
 * <p>The bytes never choose a class: Jackson's default typing is off, and types whose annotations
 * let the JSON name a class are refused. Subtypes by a name from a list in the type are allowed.
 */
public final class JsonPayloadCodec implements TreeCodec {

  /** Deeper than real payloads, and far below the stack size of a handler thread. */
  private static final int DEEPEST = 500;

  /** In digits. Parsing a longer number can take seconds or minutes of CPU time. */
  private static final int LONGEST_NUMBER = 1_000;

  /**
   * The payload size limits strings. Jackson's own limit would refuse payloads that {@code
   * --max-payload-size} allows.
   */
  private static final int LONGEST_TEXT = Integer.MAX_VALUE;

  private static final JsonFactory WITHIN_LIMITS =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(LONGEST_NUMBER)
                  .maxStringLength(LONGEST_TEXT)
                  .build())
          .streamWriteConstraints(StreamWriteConstraints.builder().maxNestingDepth(DEEPEST).build())
          .build();

  /** Lets the JSON name no class at all. */
  private static final PolymorphicTypeValidator NO_CLASSES =
      BasicPolymorphicTypeValidator.builder().build();

  // Below the constants that its constructor uses.
  public static final JsonPayloadCodec INSTANCE = new JsonPayloadCodec(standard());

  private final ObjectMapper mapper;

  /** Keeps all digits of decimal numbers. */
  private final ObjectReader trees;

  /** Readers with resolved deserializers. Bounded: handlers have one payload type each. */
  private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

  private final Set<Type> checked = ConcurrentHashMap.newKeySet();
  private final SubtypeNames subtypes = new SubtypeNames(this::isSubtypeByName);

  /** Of a module that is added twice, the first instance counts; of a setting, the last value. */
  private static ObjectMapper standard() {
    return JsonMapper.builder(WITHIN_LIMITS)
        .addModule(new Jdk8Module())
        .addModule(new JavaTimeModule().disable(JavaTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID))
        .addModules(ObjectMapper.findModules(JsonPayloadCodec.class.getClassLoader()))
        .deactivateDefaultTyping()
        .polymorphicTypeValidator(NO_CLASSES)
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        // The handler gets the enqueued values unchanged, or decoding fails.
        .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
        .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }

  /**
   * Uses a mapper of the application.
   *
   * @throws IllegalArgumentException if its default typing lets the JSON name classes
   */
  public JsonPayloadCodec(ObjectMapper mapper) {
    JavaType any = mapper.constructType(Object.class);
    if (mapper.getDeserializationConfig().getDefaultTyper(any) != null) {
      throw new IllegalArgumentException(
          "the ObjectMapper has default typing, so that payloads could name the classes that are"
              + " created; use one without it");
    }
    this.mapper = mapper;
    this.trees =
        mapper.readerForMapOf(Object.class).with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  }

  @Override
  public byte[] encode(Object payload) {
    if (payload instanceof byte[] bytes) {
      return bytes;
    }
    checkOnce(payload.getClass());
    subtypes.check(payload);
    try {
      return write(mapper.writer(), payload);
    } catch (JsonProcessingException e) {
      throw unwritable(payload, e);
    }
  }

  @Override
  public byte[] encode(Object payload, Type type) {
    if (payload instanceof byte[] bytes) {
      return bytes;
    }
    checkOnce(type);
    try {
      return write(mapper.writerFor(mapper.constructType(type)), payload);
    } catch (JsonProcessingException e) {
      throw unwritable(payload, e);
    }
  }

  private static PayloadException unwritable(Object payload, JsonProcessingException e) {
    return new PayloadException(
        "a %s cannot be written as JSON: %s"
            .formatted(payload.getClass().getName(), e.getOriginalMessage()),
        e);
  }

  @Override
  public void check(Type type) {
    PayloadClasses.check(type);
    if (mapper.getPolymorphicTypeValidator() == NO_CLASSES) {
      NamedClasses.refuse(mapper, type);
    }
  }

  private void checkOnce(Type type) {
    if (!checked.contains(type)) {
      check(type);
      checked.add(type);
    }
  }

  private boolean isSubtypeByName(Class<?> type) {
    try {
      return mapper.getSerializerProviderInstance().findTypeSerializer(mapper.constructType(type))
          != null;
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  private static byte[] write(ObjectWriter writer, Object payload) throws JsonProcessingException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = new ReadableNumbers(writer.getFactory().createGenerator(bytes))) {
      writer.writeValue(json, payload);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Refuses numbers that a reader would refuse. */
  private static final class ReadableNumbers extends JsonGeneratorDelegate {

    ReadableNumbers(JsonGenerator json) {
      super(json, false);
    }

    @Override
    public void writeNumber(@Nullable BigInteger value) throws IOException {
      check(value);
      super.writeNumber(value);
    }

    @Override
    public void writeNumber(@Nullable BigDecimal value) throws IOException {
      check(value);
      super.writeNumber(value);
    }

    private void check(@Nullable Number value) throws IOException {
      int digits = String.valueOf(value).length();
      if (digits > LONGEST_NUMBER) {
        throw new JsonGenerationException(
            "a number has %,d digits, over the limit of %,d".formatted(digits, LONGEST_NUMBER),
            this);
      }
    }
  }

  @Override
  public Object decode(byte[] bytes, Type type) {
    if (type == byte[].class) {
      return bytes;
    }
    try {
      return notNull(reader(type).readValue(bytes), type);
    } catch (JsonProcessingException e) {
      throw noJsonOf("a " + type.getTypeName(), e);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** No computeIfAbsent: a type's own deserializer may call this codec and change the map. */
  private ObjectReader reader(Type type) {
    ObjectReader known = readers.get(type);
    if (known == null) {
      check(type);
      known = mapper.readerFor(mapper.constructType(type));
      readers.put(type, known);
    }
    return known;
  }

  @Override
  public Map<String, Object> readTree(byte[] bytes) {
    try {
      return notNull(trees.readValue(bytes), Map.class);
    } catch (JsonProcessingException e) {
      throw noJsonOf("an object", e);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public Object decode(Map<String, Object> tree, Type type) {
    try {
      return notNull(mapper.convertValue(tree, mapper.constructType(type)), type);
    } catch (IllegalArgumentException e) {
      throw e.getCause() instanceof JsonProcessingException cause
          ? noJsonOf("a " + type.getTypeName(), cause)
          : new PayloadException("the payload is not a " + type.getTypeName() + ": " + e, e);
    }
  }

  private static <T> T notNull(@Nullable T payload, Type type) {
    if (payload == null) {
      throw new PayloadException(
          "the payload is JSON null, which a handler of %s does not accept"
              .formatted(type.getTypeName()));
    }
    return payload;
  }

  private static PayloadException noJsonOf(String type, JsonProcessingException e) {
    return new PayloadException(
        "the payload is not valid JSON for %s: %s".formatted(type, e.getOriginalMessage()), e);
  }

  private static PayloadException unreadable(IOException e) {
    return new PayloadException("the payload could not be read: " + e.getMessage(), e);
  }
}
