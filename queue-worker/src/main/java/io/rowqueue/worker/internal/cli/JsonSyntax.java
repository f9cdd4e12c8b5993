package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Checks that bytes are one JSON value in UTF-8, without building it. */
final class JsonSyntax {

  private static final JsonFactory JSON = new JsonFactory();

  private JsonSyntax() {}

  /** What is wrong, for people, or null if nothing is. */
  static @Nullable String fault(byte[] bytes) {
    try (JsonParser parser = JSON.createParser(reader(bytes))) {
      if (parser.nextToken() == null) {
        return "it is empty";
      }
      parser.skipChildren();
      parser.finishToken();
      if (parser.nextToken() != null) {
        return "there is more behind the value, at column "
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
}
