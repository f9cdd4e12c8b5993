package io.rowqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;

class CronSyntaxTest {

  private static final int EXPRESSIONS = 2_000;
  private static final int STEPS = 5;

  private static final CronParser CRON_UTILS =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "30 6 * * MON-FRI   | 2026-03-06T06:30 | 2026-03-09T06:30",
        "30 6 * * 1-5       | 2026-03-06T06:29 | 2026-03-06T06:30",
        "0 0 13 * 5         | 2026-03-06T00:00 | 2026-03-13T00:00",
        "0 0 13 * 5         | 2026-04-11T00:00 | 2026-04-13T00:00",
        "0 0 13 * */5       | 2026-03-14T00:00 | 2026-09-13T00:00",
        "0 0 L * *          | 2028-02-10T00:00 | 2028-02-29T00:00",
        "0 0 15,L * *       | 2026-02-15T00:00 | 2026-02-28T00:00",
        "0 0 29 2 *         | 2096-02-29T00:00 | 2104-02-29T00:00",
        "0 0 29 FEB */7     | 2026-01-01T00:00 | 2032-02-29T00:00",
        "5-59/20 22-23 * * * | 2026-03-06T22:45 | 2026-03-06T23:05",
        "0 0 * * 7          | 2026-03-06T00:00 | 2026-03-08T00:00",
        "0 0 * * sun        | 2026-03-06T00:00 | 2026-03-08T00:00",
        "0 0 * jan-MAR/2 *  | 2026-01-31T00:00 | 2026-03-01T00:00",
        "0 0 * * 5-7        | 2026-03-07T00:00 | 2026-03-08T00:00",
        "0 0 * * SUN-TUE    | 2026-03-06T00:00 | 2026-03-08T00:00",
        "@Hourly            | 2026-12-31T23:00 | 2027-01-01T00:00",
        "@hourly            | 2026-12-31T23:00 | 2027-01-01T00:00",
        "@weekly            | 2026-03-06T00:00 | 2026-03-08T00:00",
        "@monthly           | 2026-03-06T00:00 | 2026-04-01T00:00",
        "@yearly            | 2026-03-06T00:00 | 2027-01-01T00:00"
      })
  void after_namesTheNextWallTime(String expression, LocalDateTime time, LocalDateTime next) {
    assertThat(CronSyntax.parse(expression).after(time)).contains(next);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * 0 *",
        "* * * * 8",
        "-1 * * * *",
        "*/0 * * * *",
        "*/60 * * * *",
        "5/15 * * * *",
        "30-10 * * * *",
        "* * * * FRI-SUN",
        "* * ? * *",
        "* * 15W * *",
        "* * * * 5#3",
        "* * * * L",
        "1,,2 * * * *",
        "1, * * * *",
        "a * * * *",
        "+1 * * * *",
        "1- * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        "* * * JANUARY *",
        "@reboot",
        "@every 5m",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "0 0 30-31 2 */2",
        "٣ * * * *",
        "001 * * * *",
        "*/+5 * * * *",
        "1-5/2/3 * * * *",
        "/5 * * * *",
        "5/1 * * * *",
        "5/ * * * *",
        "1-5/ * * * *",
        "1-5- * * * *",
        "* * * JUL-SEP/JAN *",
        "* * 8LL * *",
        "* * 5L * *",
        "* * L-3 * *",
        "* * 1-L * *",
        "* * LW * *",
        "0 0|5 * * *",
        "0 0 * * *||0 1 * * *"
      })
  void parse_whatIsNoCrontabLine_isRefusedByName(String expression) {
    assertThatThrownBy(() -> CronSyntax.parse(expression))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("'" + expression + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "60 * * * *      | the minute takes 0 to 59",
        "* 24 * * *      | the hour takes 0 to 23",
        "* * ? * *       | the day of the month takes 1 to 31, L for the last",
        "* * * JANUARY * | '* * * JANUARY *' cannot be used: the month takes 1 to 12, JAN to DEC",
        "* * * * FRI-SUN | lists, ascending ranges and steps, but not 'FRI-SUN'",
        "* * * * 5#3     | the day of the week takes 0 to 7, SUN to SAT",
        "* * * * * *     | it needs five fields: minute, hour, day of the month",
        "5/15 * * * *    | '5/' is not supported: numbers have one or two digits, a step needs a"
            + " range",
        "@reboot         | supported nicknames are @hourly to @yearly"
      })
  void parse_refused_saysWhatIsTaken(String expression, String told) {
    assertThatThrownBy(() -> CronSyntax.parse(expression)).hasMessageContaining(told);
  }

  @Test
  void parse_longerThanItsColumn_isRefused() {
    String minutes = Stream.generate(() -> "59").limit(100).collect(Collectors.joining(","));

    assertThatThrownBy(() -> CronSyntax.parse(minutes + " * * * *"))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("longer than 255");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 2 * * *    | true",
        "0,30 1-5/2 * * * | true",
        "0 * * * *    | false",
        "*/5 2 * * *  | false",
        "0 */2 * * *  | false"
      })
  void hasFixedTimes_neitherMinuteNorHourBeginsWithAnAsterisk(String expression, boolean fixed) {
    assertThat(CronSyntax.parse(expression).hasFixedTimes()).isEqualTo(fixed);
  }

  /** Cron-utils as UNIX joins the day fields as crontab does where neither is an asterisk. */
  @Test
  void after_randomExpressions_asCronUtils() {
    Random random = new Random(1);
    for (int i = 0; i < EXPRESSIONS; i++) {
      String expression = expression(random, true);
      ExecutionTime oracle = ExecutionTime.forCron(CRON_UTILS.parse(expression));
      CronSyntax syntax = CronSyntax.parse(expression);
      LocalDateTime time = time(random);
      for (int step = 0; step < STEPS; step++) {
        LocalDateTime expected =
            oracle
                .nextExecution(time.atZone(ZoneOffset.UTC))
                .map(next -> next.toLocalDateTime())
                .orElseThrow();
        assertThat(syntax.after(time)).as("%s after %s", expression, time).contains(expected);
        time = expected;
      }
    }
  }

  /** Spring wants both day fields to match, so one of them is always an asterisk here. */
  @Test
  void after_randomExpressions_asSpring() {
    Random random = new Random(2);
    for (int i = 0; i < EXPRESSIONS; i++) {
      String expression = expression(random, false);
      CronExpression oracle = CronExpression.parse("0 " + expression);
      CronSyntax syntax = CronSyntax.parse(expression);
      LocalDateTime time = time(random);
      for (int step = 0; step < STEPS; step++) {
        LocalDateTime expected = oracle.next(time);
        assertThat(syntax.after(time)).as("%s after %s", expression, time).contains(expected);
        time = expected;
      }
    }
  }

  @Test
  void upTo_isTheInverseOfAfter() {
    Random random = new Random(3);
    for (int i = 0; i < EXPRESSIONS; i++) {
      String expression = expression(random, true);
      CronSyntax syntax = CronSyntax.parse(expression);
      LocalDateTime first = syntax.after(time(random)).orElseThrow();
      LocalDateTime second = syntax.after(first).orElseThrow();
      assertThat(syntax.upTo(first)).as(expression).contains(first);
      assertThat(syntax.upTo(second.minusNanos(1))).as(expression).contains(first);
    }
  }

  private static LocalDateTime time(Random random) {
    return LocalDateTime.of(2020, 1, 1, 0, 0).plusMinutes(random.nextInt(20 * 365 * 24 * 60));
  }

  private static String expression(Random random, boolean bothDays) {
    String minute = field(random, 0, 59);
    String hour = field(random, 0, 23);
    String month = field(random, 1, 12);
    // Days to the 28th, so that each month and year has them.
    String day = random.nextBoolean() ? "*" : listOrRange(random, 1, 28);
    boolean freeWeekday = bothDays || day.equals("*");
    String weekday = !freeWeekday || random.nextBoolean() ? "*" : listOrRange(random, 0, 6);
    return String.join(" ", minute, hour, day, month, weekday);
  }

  private static String field(Random random, int least, int most) {
    return switch (random.nextInt(4)) {
      case 0 -> "*";
      case 1 -> "*/" + (2 + random.nextInt(most / 2));
      default -> listOrRange(random, least, most);
    };
  }

  private static String listOrRange(Random random, int least, int most) {
    int first = least + random.nextInt(most - least);
    int last = first + 1 + random.nextInt(most - first);
    return switch (random.nextInt(4)) {
      case 0 -> Integer.toString(first);
      case 1 -> first + "-" + last;
      case 2 -> first + "-" + last + "/" + (1 + random.nextInt(5));
      default -> {
        List<String> values = new ArrayList<>();
        values.add(Integer.toString(first));
        values.add(Integer.toString(last));
        yield String.join(",", values);
      }
    };
  }
}
