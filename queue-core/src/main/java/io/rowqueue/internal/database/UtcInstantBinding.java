package io.rowqueue.internal.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jooq.Binding;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingGetSQLInputContext;
import org.jooq.BindingGetStatementContext;
import org.jooq.BindingRegisterContext;
import org.jooq.BindingSQLContext;
import org.jooq.BindingSetSQLOutputContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.conf.ParamType;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Maps a {@code DATETIME(6)} column to the UTC instant that it represents.
 *
 * <p>An instant is bound as text, and the server converts it to {@code DATETIME(6)}. A driver that
 * is given a time may shift it between time zones, and Connector/J drops its fraction of a second
 * if it takes the server for an old one: MariaDB 10 greets as 5.5.5. It is read as a {@link
 * LocalDateTime}, which no driver shifts. Precision is the microsecond. Thread-safe.
 */
public final class UtcInstantBinding implements Binding<LocalDateTime, Instant> {

  private static final Converter<LocalDateTime, Instant> CONVERTER =
      Converter.ofNullable(
          LocalDateTime.class,
          Instant.class,
          local -> local.toInstant(ZoneOffset.UTC),
          instant -> LocalDateTime.ofInstant(instant, ZoneOffset.UTC));

  /** A parameter for a time in SQL text. */
  public static final String PARAMETER = "CAST(? AS DATETIME(6))";

  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  /** {@code time} as the value of a {@link #PARAMETER}, rounded to the microsecond. */
  public static String text(LocalDateTime time) {
    return TEXT.format(time.plusNanos(500));
  }

  /** The instant in a column of {@code row}, which must not be null. */
  public static Instant read(ResultSet row, int column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }

  /** Called by jOOQ's generated classes. */
  public UtcInstantBinding() {}

  @Override
  public Converter<LocalDateTime, Instant> converter() {
    return CONVERTER;
  }

  @Override
  public void sql(BindingSQLContext<Instant> ctx) {
    if (ctx.render().paramType() == ParamType.INLINED) {
      ctx.render().visit(DSL.inline(textOrNull(ctx.convert(CONVERTER).value())));
    } else {
      ctx.render().sql(PARAMETER.replace("?", ctx.variable()));
    }
  }

  @Override
  public void register(BindingRegisterContext<Instant> ctx) throws SQLException {
    ctx.statement().registerOutParameter(ctx.index(), Types.TIMESTAMP);
  }

  @Override
  public void set(BindingSetStatementContext<Instant> ctx) throws SQLException {
    ctx.statement().setString(ctx.index(), textOrNull(ctx.convert(CONVERTER).value()));
  }

  @Override
  public void get(BindingGetResultSetContext<Instant> ctx) throws SQLException {
    ctx.convert(CONVERTER).value(ctx.resultSet().getObject(ctx.index(), LocalDateTime.class));
  }

  @Override
  public void get(BindingGetStatementContext<Instant> ctx) throws SQLException {
    ctx.convert(CONVERTER).value(ctx.statement().getObject(ctx.index(), LocalDateTime.class));
  }

  @Override
  public void set(BindingSetSQLOutputContext<Instant> ctx) throws SQLException {
    throw new SQLFeatureNotSupportedException("RowQueue does not write user-defined SQL types");
  }

  @Override
  public void get(BindingGetSQLInputContext<Instant> ctx) throws SQLException {
    throw new SQLFeatureNotSupportedException("RowQueue does not read user-defined SQL types");
  }

  private static @Nullable String textOrNull(@Nullable LocalDateTime value) {
    return value == null ? null : text(value);
  }
}
