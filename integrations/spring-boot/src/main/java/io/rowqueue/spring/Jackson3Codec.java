package io.rowqueue.spring;

import io.rowqueue.PayloadException;
import io.rowqueue.spi.PayloadCodec;
import java.lang.reflect.Type;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by the application's mapper of Jackson 3; {@code byte[]} payloads pass through unchanged.
 * Thread-safe.
 */
final class Jackson3Codec implements PayloadCodec {

  private final JsonMapper mapper;

  Jackson3Codec(JsonMapper mapper) {
    JavaType any = mapper.constructType(Object.class);
    if (mapper.deserializationConfig().getDefaultTyper(any) != null) {
      throw new IllegalArgumentException(
          "the JsonMapper has default typing, so that payloads could name the classes that are"
              + " created; define a PayloadCodec bean without it");
    }
    this.mapper = mapper;
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
    Object value;
    try {
      value = mapper.readValue(bytes, mapper.constructType(type));
    } catch (JacksonException e) {
      throw new PayloadException("cannot decode %s: %s".formatted(type, e.getOriginalMessage()), e);
    }
    if (value == null) {
      throw new PayloadException("the payload is null, and no " + type);
    }
    return value;
  }
}
