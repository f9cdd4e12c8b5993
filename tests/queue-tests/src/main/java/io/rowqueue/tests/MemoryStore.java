package io.rowqueue.tests;

import io.rowqueue.spi.BodyStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A store of bodies that is gone with the test; everything in it counts as old. */
public class MemoryStore implements BodyStore {

  public final Map<String, byte[]> bodies = new ConcurrentHashMap<>();

  /** An empty one. */
  public MemoryStore() {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String write(InputStream body) throws IOException {
    String reference = "body-" + (bodies.size() + 1);
    bodies.put(reference, body.readAllBytes());
    return reference;
  }

  @Override
  public InputStream open(String reference) throws IOException {
    byte[] body = bodies.get(reference);
    if (body == null) {
      throw new NoSuchFileException(reference);
    }
    return new ByteArrayInputStream(body);
  }

  @Override
  public void delete(String reference) {
    bodies.remove(reference);
  }

  @Override
  public Stream<String> olderThan(Duration age) {
    return List.copyOf(bodies.keySet()).stream();
  }
}
