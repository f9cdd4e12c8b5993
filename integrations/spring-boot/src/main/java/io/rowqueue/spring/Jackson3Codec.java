package io.rowqueue.spring;

import io.rowqueue.PayloadException;
import io.rowqueue.spi.TreeCodec;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by the application's mapper of Jackson 3; {@code byte[]} payloads pass through unchanged.
 * Thread-safe.
 */
final class Jackson3Codec implements TreeCodec {

  private final JsonMapper mapper;

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
  public byte[] encode(Object payload) {
    return encode(payload, payload.getClass());
  }

  @Override
  public byte[] encode(Object payload, Type type) {
    if (payload instanceof byte[] bytes) {
      return bytes;
    }
    try {
      return mapper.writerFor(mapper.constructType(type)).writeValueAsBytes(payload);
    } catch (JacksonException e) {
      throw new PayloadException("cannot encode %s: %s".formatted(type, e.getOriginalMessage()), e);
    }
  }

  @Override
  public Object decode(byte[] bytes, Type type) {
    if (type == byte[].class) {
      return bytes;
    }
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
