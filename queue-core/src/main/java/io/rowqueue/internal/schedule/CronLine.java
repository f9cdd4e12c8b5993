package io.rowqueue.internal.schedule;

import com.cronutils.descriptor.CronDescriptor;
import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.field.constraint.FieldConstraintsBuilder;
import com.cronutils.model.field.definition.FieldDefinition;
import com.cronutils.model.field.expression.Always;
import com.cronutils.model.field.expression.And;
import com.cronutils.model.field.expression.Between;
import com.cronutils.model.field.expression.Every;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.model.field.expression.On;
import com.cronutils.model.field.value.SpecialChar;
import com.cronutils.parser.CronParser;
import io.rowqueue.operate.InvalidScheduleException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A cron expression, parsed by cron-utils. No other class uses that library, so it can be replaced.
 * Immutable.
 */
record CronLine(Cron cron) {

  enum Field {
    MINUTE(CronFieldName.MINUTE, 0, 59, "the minute takes 0 to 59"),
    HOUR(CronFieldName.HOUR, 0, 23, "the hour takes 0 to 23"),
    DAY(CronFieldName.DAY_OF_MONTH, 1, 31, "the day of the month takes 1 to 31, L for the last"),
    MONTH(CronFieldName.MONTH, 1, 12, "the month takes 1 to 12, JAN to DEC"),
    WEEKDAY(CronFieldName.DAY_OF_WEEK, 0, 7, "the day of the week takes 0 to 7, SUN to SAT");

    private final CronFieldName name;
    private final int least;
    private final int most;
    private final String taken;

    Field(CronFieldName name, int least, int most, String taken) {
      this.name = name;
      this.least = least;
      this.most = most;
      this.taken = taken;
    }
  }

  /** The bit of {@code L}, the last day of the month. */
  static final int LAST = 32;

  private static final CronParser PARSER = parser();

  /**
   * Syntax that the library interprets in its own way, and that crontabs refuse or disagree about:
   * digits of other scripts, signs, several lines in one, steps of no range, of steps and of names,
   * ranges and steps without an end, an L with a number.
   */
  private static final Pattern ODD =
      Pattern.compile(
          "[^\\p{ASCII}]|[+|]|\\d{3,}|(?<![^\\s,])[^\\s,*-]*/|/[^\\s,]*/"
              + "|[-/](?![A-Z0-9])|/[A-Z]|\\bL[^\\s,]+|[\\d-]L");

  private static CronParser parser() {
    CronDefinitionBuilder crontab =
        CronDefinitionBuilder.defineCron()
            .withSupportedNicknameHourly()
            .withSupportedNicknameDaily()
            .withSupportedNicknameMidnight()
            .withSupportedNicknameWeekly()
            .withSupportedNicknameMonthly()
            .withSupportedNicknameYearly()
            .withSupportedNicknameAnnually();
    for (Field field : Field.values()) {
      FieldConstraintsBuilder taken =
          FieldConstraintsBuilder.instance()
              .forField(field.name)
              .withShiftedStringMapping(
                  0) // must precede the range; in the field's own numbering Sunday is 0
              .withValidRange(field.least, field.most)
              .withStrictRange();
      taken = field == Field.DAY ? taken.addLSupport() : taken;
      crontab.register(new FieldDefinition(field.name, taken.createConstraintsInstance()));
    }
    return new CronParser(crontab.instance());
  }

  /**
   * Parses {@code expression}.
   *
   * @throws InvalidScheduleException if it is not a valid cron expression
   */
  static CronLine parse(String expression) {
    String line = expression.strip().toUpperCase(Locale.ROOT);
    Matcher odd = ODD.matcher(line);
    if (odd.find()) {
      throw new InvalidScheduleException(
          ("'%s' is not supported: numbers have one or two digits, a step needs a range or an"
                  + " asterisk before it, and L must stand alone")
              .formatted(odd.group()));
    }
    try {
      return new CronLine(
          PARSER.parse(line.startsWith("@") ? line.toLowerCase(Locale.ROOT) : line));
    } catch (RuntimeException e) {
      throw new InvalidScheduleException(
          "%s (cron-utils: %s)".formatted(explained(line.split("\\s+")), e.getMessage()));
    }
  }

  /** Returns it in English, such as {@code at 02:00}. */
  String words() {
    return CronDescriptor.instance(Locale.UK).describe(cron);
  }

  /** The library does not name the invalid field, so each field is tried by itself. */
  private static String explained(String[] texts) {
    if (texts[0].startsWith("@")) {
      return "supported nicknames are @hourly to @yearly";
    }
    Field[] fields = Field.values();
    return IntStream.range(0, texts.length == fields.length ? fields.length : 0)
        .filter(i -> !isTaken(i, texts[i]))
        .mapToObj(
            i ->
                "%s, lists, ascending ranges and steps, but not '%s'"
                    .formatted(fields[i].taken, texts[i]))
        .findFirst()
        .orElse("it needs five fields: minute, hour, day of the month, month, day of the week");
  }

  private static boolean isTaken(int field, String text) {
    String[] alone = {"*", "*", "*", "*", "*"};
    alone[field] = text;
    try {
      Cron unused = PARSER.parse(String.join(" ", alone));
      return true;
    } catch (RuntimeException refused) {
      return false;
    }
  }

  /** Bit n for the value n of {@code field}; Sunday is bit 0. */
  long set(Field field) {
    long set =
        values(expression(field), field).mapToLong(value -> 1L << value).reduce(0, (a, b) -> a | b);
    return field == Field.WEEKDAY ? (set | set >>> 7) & 0x7F : set;
  }

  /** Whether {@code field} begins with an asterisk. */
  boolean isOpen(Field field) {
    FieldExpression first = expression(field);
    first = first instanceof And list ? list.getExpressions().get(0) : first;
    first = first instanceof Every step ? step.getExpression() : first;
    return first instanceof Always;
  }

  private FieldExpression expression(Field field) {
    return cron.retrieve(field.name).getExpression();
  }

  private static IntStream values(FieldExpression expression, Field field) {
    if (expression instanceof And list) {
      return list.getExpressions().stream().flatMapToInt(item -> values(item, field));
    }
    if (expression instanceof Every step) {
      int[] all = values(step.getExpression(), field).toArray();
      return Arrays.stream(all)
          .filter(value -> (value - all[0]) % step.getPeriod().getValue() == 0);
    }
    if (expression instanceof Between range) {
      return IntStream.rangeClosed(
          (Integer) range.getFrom().getValue(), (Integer) range.getTo().getValue());
    }
    if (expression instanceof On on) {
      boolean last = on.getSpecialChar().getValue() == SpecialChar.L;
      return IntStream.of(last ? LAST : on.getTime().getValue());
    }
    return IntStream.rangeClosed(field.least, field.most);
  }
}
