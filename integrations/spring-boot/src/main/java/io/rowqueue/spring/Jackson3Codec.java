package io.rowqueue.spring;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.PayloadClasses;
import io.rowqueue.internal.message.SubtypeNames;
import io.rowqueue.spi.TreeCodec;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by the application's mapper of Jackson 3; {@code byte[]} payloads pass through unchanged.
 * Thread-safe.
 */
final class Jackson3Codec implements TreeCodec {

  private final JsonMapper mapper;
  private final SubtypeNames subtypes = new SubtypeNames(this::isSubtypeByName);
  private final Set<Type> checked = ConcurrentHashMap.newKeySet();

  /** Keeps all digits of decimal numbers. */
  private final ObjectReader trees;

  Jackson3Codec(JsonMapper mapper) {
    JavaType any = mapper.constructType(Object.class);
    if (mapper.deserializationConfig().getDefaultTyper(any) != null) {
      throw new IllegalArgumentException(
          "the JsonMapper has default typing, so that payloads could name the classes that are"
              + " created; define a PayloadCodec bean without it");
    }
    this.mapper = mapper;
    this.trees =
        mapper.readerForMapOf(Object.class).with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  }

  @Override
  public void check(Type type) {
    PayloadClasses.checkForJackson3(type);
  }

  private void checkOnce(Type type) {
    if (!checked.contains(type)) {
      check(type);
      checked.add(type);
    }
  }

  private boolean isSubtypeByName(Class<?> type) {
    return mapper._serializationContext().findTypeSerializer(mapper.constructType(type)) != null;
  }

  @Override
  public byte[] encode(Object payload) {
    if (!(payload instanceof byte[])) {
      subtypes.check(payload);
    }
    return encode(payload, payload.getClass());
  }

  @Override
  public byte[] encode(Object payload, Type type) {
    if (payload instanceof byte[] bytes) {
      return bytes;
    }
    checkOnce(type);
    ObjectWriter writer = mapper.writerFor(mapper.constructType(type));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json =
        new ReadableNumbers(
            writer.createGenerator(bytes),
            mapper.tokenStreamFactory().streamReadConstraints().getMaxNumberLength())) {
      writer.writeValue(json, payload);
    } catch (JacksonException e) {
      throw new PayloadException("cannot encode %s: %s".formatted(type, e.getOriginalMessage()), e);
    }
    return bytes.toByteArray();
  }

  /** Refuses numbers that a reader would refuse. */
  private static final class ReadableNumbers extends JsonGeneratorDelegate {

    private final int longest;

    ReadableNumbers(JsonGenerator json, int longest) {
      super(json, false);
      this.longest = longest;
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigInteger value) {
      check(value);
      super.writeNumber(value);
      return this;
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigDecimal value) {
      check(value);
      super.writeNumber(value);
      return this;
    }

    private void check(@Nullable Number value) {
      int digits = String.valueOf(value).length();
      if (digits > longest) {
        throw new StreamWriteException(
            this, "a number has %,d digits, over the limit of %,d".formatted(digits, longest));
      }
    }
  }

  @Override
  public Object decode(byte[] bytes, Type type) {
    if (type == byte[].class) {
      return bytes;
    }
    checkOnce(type);
    return decoded(type, () -> mapper.readValue(bytes, mapper.constructType(type)));
  }

  @Override
  public Map<String, Object> readTree(byte[] bytes) {
    return decoded(Map.class, () -> trees.readValue(bytes));
  }

  @Override
  public Object decode(Map<String, Object> tree, Type type) {
    return decoded(type, () -> mapper.convertValue(tree, mapper.constructType(type)));
  }

  private static <T> T decoded(Type type, Supplier<@Nullable T> decoding) {
    T value;
    try {
      value = decoding.get();
    } catch (JacksonException e) {
      throw new PayloadException("cannot decode %s: %s".formatted(type, e.getOriginalMessage()), e);
    }
    if (value == null) {
      throw new PayloadException("the payload is null, and no " + type);
    }
    return value;
  }
}
