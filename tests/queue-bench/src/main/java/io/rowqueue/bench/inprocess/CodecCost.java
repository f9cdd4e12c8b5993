package io.rowqueue.bench.inprocess;

import io.rowqueue.message.PayloadCodec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A payload of 200 bytes to JSON and back. */
@State(Scope.Thread)
public class CodecCost {

  private final PayloadCodec codec = PayloadCodec.json();
  private final Object payload = codec.decode(AnsweringServer.PAYLOAD, Text.class);

  /** A payload of two fields. */
  public record Text(int number, String text) {}

  /** What a producer does. */
  @Benchmark
  public Object encode() {
    return codec.encode(payload);
  }

  /** What a handler's thread does. */
  @Benchmark
  public Object decode() {
    return codec.decode(AnsweringServer.PAYLOAD, Text.class);
  }
}
