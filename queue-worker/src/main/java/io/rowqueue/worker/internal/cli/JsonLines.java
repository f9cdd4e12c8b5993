package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON values, one a line, in bounded memory. Lines end with LF or CRLF; blank ones are
 * passed over but counted; a byte order mark at the start is dropped. The bytes of a line are
 * handed on as they stand. Not thread-safe.
 */
final class JsonLines {

  private static final JsonFactory JSON = new JsonFactory();
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private final int longest;
  private final long firstWanted;
  private long number;
  private long bytesRead;

  /**
   * Reads {@code in}, which the caller closes.
   *
   * @param longest the most bytes that a line may have, its end not counted
   * @param firstWanted the number of the first line to hand on, from 1
   */
  JsonLines(InputStream in, int longest, long firstWanted) {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.longest = longest;
    this.firstWanted = firstWanted;
  }

  /**
   * The next line that is not blank, or null at the end.
   *
   * @throws CommandFailure if it is not JSON or too long; the message names its number
   */
  @Nullable Line next() throws IOException {
    byte[] line = readLine();
    while (line != null) {
      if (number >= firstWanted && !isBlank(line)) {
        check(line);
        return new Line(number, line);
      }
      line = readLine();
    }
    return null;
  }

  long bytesRead() {
    return bytesRead;
  }

  private void check(byte[] line) {
    if (line.length > longest) {
      throw CommandFailure.failed(
          "line %d has more than %,d bytes; make it smaller, or raise --max-payload-size"
              .formatted(number, longest),
          null);
    }
    String fault = fault(line);
    if (fault != null) {
      throw CommandFailure.failed("line %d is not JSON: %s".formatted(number, fault), null);
    }
  }

  /** The bytes up to a line end; of a line that is too long, just enough to show that it is. */
  private byte @Nullable [] readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    int next = in.read();
    if (next < 0) {
      return null;
    }
    number++;
    while (next >= 0 && next != '\n') {
      bytesRead++;
      // One more for a CR and three for a byte order mark, which do not count.
      if (line.size() <= longest + 4) {
        line.write(next);
      }
      next = in.read();
    }
    bytesRead++;
    return trimmed(line.toByteArray());
  }

  private byte[] trimmed(byte[] line) {
    int from = number == 1 && startsWithMark(line) ? BYTE_ORDER_MARK.length : 0;
    int to = line.length > from && line[line.length - 1] == '\r' ? line.length - 1 : line.length;
    return from == 0 && to == line.length ? line : Arrays.copyOfRange(line, from, to);
  }

  private static boolean startsWithMark(byte[] line) {
    return line.length >= BYTE_ORDER_MARK.length
        && Arrays.equals(
            line, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
  }

  private static boolean isBlank(byte[] line) {
    for (byte each : line) {
      if (each != ' ' && each != '\t') {
        return false;
      }
    }
    return true;
  }

  /** What keeps {@code bytes} from being one JSON value in UTF-8, for people; null if nothing. */
  static @Nullable String fault(byte[] bytes) {
    try (JsonParser parser = JSON.createParser(reader(bytes))) {
      if (parser.nextToken() == null) {
        return "it is empty";
      }
      parser.skipChildren();
      parser.finishToken();
      if (parser.nextToken() != null) {
        return "there is more after the value, at column "
            + parser.currentTokenLocation().getColumnNr();
      }
      return null;
    } catch (CharacterCodingException e) {
      return "it is not UTF-8";
    } catch (JsonProcessingException e) {
      return e.getOriginalMessage() + column(e);
    } catch (IOException e) {
      throw new UncheckedIOException("reading memory cannot fail", e);
    }
  }

  /** Strict, where Jackson's own decoder guesses the encoding and lets some bad bytes pass. */
  private static InputStreamReader reader(byte[] bytes) {
    return new InputStreamReader(
        new ByteArrayInputStream(bytes),
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT));
  }

  private static String column(JsonProcessingException failure) {
    return failure.getLocation() == null
        ? ""
        : ", at column " + failure.getLocation().getColumnNr();
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Line(long number, byte[] json) {}
}
